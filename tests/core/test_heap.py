"""Between recordings nothing is held that nobody needs."""

import gc
import weakref

from handreplay.core.heap import give_back


class Held:
    """Refers to itself, as what watches a recording does."""

    def __init__(self) -> None:
        self.itself = self


def test_what_refers_only_to_itself_is_freed_at_once() -> None:
    gc.disable()
    try:
        held = weakref.ref(Held())
        assert held() is not None
        give_back()
        assert held() is None
    finally:
        gc.enable()
