"""Memory that nobody needs goes back to the system between recordings.

Python frees what refers to itself only now and then, though pictures may hang on it; and glibc keeps what was freed,
the more the more recordings were read.
"""

import ctypes
import gc
import sys


def give_back() -> None:
    """Free all that can be freed now; what the C library keeps, only where it is glibc."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
