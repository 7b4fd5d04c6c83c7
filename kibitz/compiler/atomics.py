"""Synchronisation for threads that share arrays: an atomic counter and a memory fence.

In plain mode only one thread runs at a time, and both are ordinary Python.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from kibitz.compiler.dispatcher import compiled


@intrinsic
def _fetch_add(typing_context: Any, array: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        first = context.get_constant(types.intp, 0)
        cell = cgutils.get_item_pointer(context, builder, kind, make_array(kind)(context, builder, args[0]), [first])
        return builder.atomic_rmw("add", cell, args[1], "monotonic")

    return types.int64(array, types.int64), generate


@intrinsic
def _fence(typing_context: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.fence("acq_rel")
        return context.get_dummy_value()

    return types.void(), generate


def _take_plainly(counter: Any, count: int) -> int:
    before: int = counter[0]
    counter[0] = before + count
    return before


def _nothing() -> None:
    pass


@compiled
def take(counter: Any, count: int) -> int:
    """Atomically add to counter[0] and return its previous value: no two threads get the same numbers."""
    return _fetch_add(counter, count)


@compiled
def fence() -> None:
    """Order memory accesses: other threads see writes before the fence before they see writes after it."""
    _fence()


take.plain_func = _take_plainly  # type: ignore[attr-defined]
fence.plain_func = _nothing  # type: ignore[attr-defined]
