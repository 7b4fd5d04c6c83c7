"""Large arrays, such as search trees, and the memory that they leave behind.

The allocator of glibc takes them out of a heap of the thread once it has seen a few, and what a heap has grown to it
hardly gives back: a server whose threads make and drop trees all day would grow with every one of them.
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
