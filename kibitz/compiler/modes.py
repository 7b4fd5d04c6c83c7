"""The three modes in which rules and searches run, and the arrays they work on.

Compiled code writes only to memory that Python allocates and keeps alive. In plain mode the same arrays are wrapped, so
that plain Python reads Python numbers and raises where compiled code would wrap around.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import numba
import numpy as np
from numba import literal_unroll

from kibitz.state import Cells, State


class ModeFlags:
    """The current mode; changed only by the context managers below."""

    plain = os.environ.get("KIBITZ_PLAIN", "0") not in ("", "0") or bool(numba.config.DISABLE_JIT)
    checked = False


def is_plain() -> bool:
    """Whether all code runs interpreted: with KIBITZ_PLAIN=1 or NUMBA_DISABLE_JIT=1, or inside `plain()`."""
    return ModeFlags.plain


@contextlib.contextmanager
def plain() -> Iterator[None]:
    """Run rules and searches as plain Python: for debugging, and to check that both modes agree.

    Examples:
        >>> import kibitz
        >>> with kibitz.plain():
        ...     print(kibitz.perft("connect_four", 3))
        ...
        343
    """
    before, ModeFlags.plain = ModeFlags.plain, True
    try:
        yield
    finally:
        ModeFlags.plain = before


@contextlib.contextmanager
def bounds_checked() -> Iterator[None]:
    """Run compiled code with bounds checks: it raises IndexError instead of accessing memory outside an array."""
    before, ModeFlags.checked = (
        ModeFlags.checked,
        not numba.config.BOUNDSCHECK,
    )  # with NUMBA_BOUNDSCHECK=1 all compiled code checks bounds anyway
    try:
        yield
    finally:
        ModeFlags.checked = before


def mode() -> str:
    """The current mode: "plain", "checked" or "compiled"."""
    return "plain" if ModeFlags.plain else "checked" if ModeFlags.checked else "compiled"


def running_in(wanted: str) -> AbstractContextManager[None]:
    """Run in an earlier `mode()`: what was created in one mode keeps working inside and outside of `plain()`."""
    return _UNCHANGED if wanted == mode() else _switched_to(wanted)  # the latter takes a microsecond


_UNCHANGED: AbstractContextManager[None] = contextlib.nullcontext()


@contextlib.contextmanager
def _switched_to(wanted: str) -> Iterator[None]:
    before = ModeFlags.plain, ModeFlags.checked
    ModeFlags.plain, ModeFlags.checked = wanted == "plain", wanted == "checked"
    try:
        yield
    finally:
        ModeFlags.plain, ModeFlags.checked = before


def as_buffer(array: np.ndarray) -> Any:
    """An array in the form that rules and searches take: as it is, or wrapped in plain mode."""
    return Cells(array) if ModeFlags.plain else array


def numbers(shape: int | tuple[int, ...], kind: Any) -> Any:
    """A zeroed array for rules and searches to work on."""
    return as_buffer(np.zeros(shape, kind))


def records(count: int, dtype: np.dtype) -> Any:
    """A zeroed array of records for rules and searches to work on."""
    return numbers(count, dtype)


def native(state: State) -> Any:
    """A state in the form that rules and searches take: its record, or the state itself in plain mode."""
    return state if ModeFlags.plain else state.record


# Loops over a tuple whose members differ in type; the loop body is compiled once for each.
unrolled = literal_unroll
