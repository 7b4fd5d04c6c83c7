"""Writes the bits of a number as bytes, eight at a time, for arrays of facts that hold or do not."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from kibitz.compiler.dispatcher import compiled

# The bits of each byte as eight bytes of 0 and 1.
_SPREAD = np.array([sum((byte >> bit & 1) << 8 * bit for bit in range(8)) for byte in range(256)], "u8")


@intrinsic
def _store_eight(typing_context: Any, array: Any, place: Any, word: Any) -> Any:
    """Store a word over eight bytes of an array."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        start = context.make_array(signature.args[0])(context, builder, args[0]).data
        there = builder.bitcast(builder.gep(start, [args[1]]), ir.IntType(64).as_pointer())
        builder.store(args[2], there, align=1)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.uint64), generate


def _write_plainly(out: Any, place: int, bits: int, count: int) -> None:
    for bit in range(count):
        out[place + bit] = bits >> bit & 1


@compiled
def write_bits(out: Any, place: int, bits: int, count: int) -> None:
    """Write the lowest `count` bits of a number to an array of bytes, as 0 or 1 each, from `place` on."""
    if count < 8:
        for bit in range(count):
            out[place + bit] = bits >> bit & 1
    else:
        out[place + count - 1] = 0  # within the bounds, which are not checked below
        for bit in range(0, count - 8, 8):
            _store_eight(out, place + bit, _SPREAD[bits >> bit & 255])
        _store_eight(out, place + count - 8, _SPREAD[bits >> count - 8 & 255])  # may overlap with the ones before


write_bits.plain_func = _write_plainly  # type: ignore[attr-defined]
