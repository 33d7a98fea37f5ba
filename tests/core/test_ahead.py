"""Running ahead changes when things are made, and nothing else."""

import threading
import time
from collections.abc import Generator
from itertools import count

import pytest

from handreplay.core.ahead import ahead


class Source:
    """Counts up, and notes how far it got and who closed it."""

    def __init__(self, fail_at: int | None = None, end: int | None = None) -> None:
        self.fail_at, self.end = fail_at, end
        self.made = 0
        self.closed_by: int | None = None

    def items(self) -> Generator[int]:
        try:
            for number in count() if self.end is None else range(self.end):
                if number == self.fail_at:
                    raise ValueError("the source broke")
                self.made = number + 1
                yield number
        finally:
            self.closed_by = threading.get_ident()


@pytest.mark.parametrize("slow", ["source", "taker", "neither"])
def test_everything_comes_once_and_in_order(slow: str) -> None:
    def numbers() -> Generator[int]:
        for number in range(40):
            time.sleep(0.001 if slow == "source" else 0)
            yield number

    taken = []
    for number in ahead(numbers(), 3):
        time.sleep(0.001 if slow == "taker" else 0)
        taken.append(number)
    assert taken == list(range(40))


def test_an_error_comes_after_what_was_made_before_it() -> None:
    taken = []
    with pytest.raises(ValueError, match="the source broke"):
        for number in ahead(Source(fail_at=5).items(), 100):
            taken.append(number)
    assert taken == [0, 1, 2, 3, 4]


def test_no_more_is_made_ahead_than_was_allowed() -> None:
    source = Source()
    coming = ahead(source.items(), 4)
    assert next(coming) == 0
    deadline = time.monotonic() + 5
    while source.made < 5 and time.monotonic() < deadline:
        time.sleep(0.001)
    time.sleep(0.02)
    assert source.made == 5  # the one taken and four more
    coming.close()


def test_a_taker_that_stops_early_leaves_no_thread_and_an_ended_source() -> None:
    source = Source()
    coming = ahead(source.items(), 4)
    next(coming)
    coming.close()
    assert source.closed_by not in (None, threading.get_ident())
    assert not any(thread.name == "ahead" for thread in threading.enumerate())
