"""Lets an iterator run ahead of whoever takes from it, in a thread of its own, so that both work at once.

What comes, and in which order, is the iterator's own, however fast either side is.
"""

import threading
from collections.abc import Generator
from contextlib import closing
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")


def ahead(source: Generator[T], most: int) -> Generator[T]:
    """The items of `source`, at most `most` of them made before they are asked for.

    An error of the source comes where its item would have come. When the taker stops early, so does the source, and
    it is closed, in its own thread, before this generator is.
    """
    room, stopped = threading.Semaphore(most), threading.Event()
    made: SimpleQueue[tuple[T] | BaseException | None] = SimpleQueue()  # an item, an error, or None for the end

    def work() -> None:
        try:
            with closing(source):
                while True:
                    room.acquire()
                    if stopped.is_set():
                        return
                    made.put((next(source),))
        except StopIteration:
            made.put(None)
        except BaseException as error:
            made.put(error)

    thread = threading.Thread(target=work, name="ahead", daemon=True)
    thread.start()
    try:
        while (item := made.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            room.release()
            yield item[0]
    finally:
        stopped.set()
        room.release()
        thread.join()
