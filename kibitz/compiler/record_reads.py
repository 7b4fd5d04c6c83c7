"""Reads a number from a record by its place in memory, for code that does not know the names of a game's fields."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from kibitz.compiler.dispatcher import compiled


def _load(bits: int) -> Any:
    """A function that reads a signed number of so many bits."""

    @intrinsic
    def load(typing_context: Any, record: Any, offset: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            start = builder.bitcast(args[0], ir.IntType(8).as_pointer())
            place = builder.bitcast(builder.gep(start, [args[1]]), ir.IntType(bits).as_pointer())
            return builder.sext(builder.load(place, align=1), ir.IntType(64)) if bits < 64 else builder.load(place)

        return types.int64(record, types.int64), generate

    return load


_load_1, _load_2, _load_4, _load_8 = (_load(8 * size) for size in (1, 2, 4, 8))


def _read_plainly(s: Any, offset: int, size: int) -> int:
    return int.from_bytes(s.record.tobytes()[offset : offset + size], "little", signed=True)


@compiled
def read_number(s: Any, offset: int, size: int) -> int:
    """The signed number of `size` bytes (1, 2, 4 or 8) that begins `offset` bytes after the start of a record."""
    if size == 1:
        return _load_1(s, offset)
    if size == 2:
        return _load_2(s, offset)
    if size == 4:
        return _load_4(s, offset)
    return _load_8(s, offset)


read_number.plain_func = _read_plainly  # type: ignore[attr-defined]
