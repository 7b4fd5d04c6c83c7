"""Bits are written as bytes, within the bounds."""

import numpy as np
import pytest

from kibitz.compiler import compiled, plain
from kibitz.compiler.bit_writes import write_bits

BITS = 0b1010_0110_1110_0001_0011_1000_1111_0101


@compiled
def write(out, place, bits, count):
    write_bits(out, place, bits, count)


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 12, 16, 31, 32])
def test_the_lowest_bits_are_written_and_nothing_else(count):
    out = np.full(40, 9, "u1")
    write(out, 3, BITS, count)
    assert out.tolist() == [9] * 3 + [BITS >> bit & 1 for bit in range(count)] + [9] * (37 - count)
    again = np.full(40, 9, "u1")
    with plain():
        write(again, 3, BITS, count)
    assert again.tolist() == out.tolist()


@pytest.mark.parametrize("count", [5, 20])
def test_bits_beyond_the_end_are_refused_where_bounds_are_checked(count):
    with pytest.raises(IndexError):
        write(np.zeros(10, "u1"), 10 - count + 1, BITS, count)
