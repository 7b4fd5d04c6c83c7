"""How memory that is not needed any more goes back to the system.

The allocator of glibc takes arrays out of a heap of the thread, and what a heap has grown to it hardly gives back: a
server whose threads make and drop search trees all day would grow with every one of them, and the graph of a solved
layer would still take its place while the next layer is solved.
"""

from __future__ import annotations

import contextlib
import ctypes

LARGE = 1 << 20  # bytes
MMAP_THRESHOLD = -3  # M_MMAP_THRESHOLD in glibc's malloc.h


def give_back_large_arrays() -> None:
    """From now on, every large array of this process comes from the system, and returns to it when it is dropped."""
    with contextlib.suppress(OSError, AttributeError, TypeError):  # another allocator
        ctypes.CDLL(None).mallopt(MMAP_THRESHOLD, LARGE)


def give_back_free_memory() -> None:
    """Return to the system what was dropped and is still in the heaps."""
    with contextlib.suppress(OSError, AttributeError, TypeError):  # another allocator
        ctypes.CDLL(None).malloc_trim(0)
