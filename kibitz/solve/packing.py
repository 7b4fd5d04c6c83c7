"""Values packed into few bits, so that each of them can still be read without unpacking the others.

A value is rounded to a multiple of a power of two. 128 neighbouring values make a block: its least value is stored
once, and each value as the difference from that, in as many bits as the block's greatest difference needs (frame of
reference; Zukowski et al. 2006). Blocks are grouped into sections with a checksum each, which is verified when a
section is first read, so that a table of gigabytes can be used at once and is nevertheless known to be intact.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import as_buffer, compiled, numbers
from kibitz.errors import KibitzError

BLOCK = 128  # values; a block takes four words for each bit of its differences
BLOCK_WORDS = BLOCK // 32
SECTION = 256  # blocks
MOST_BITS = 24  # of a value; these give an error of 3e-8 at most


class Packed(NamedTuple):
    """Packed values, in the form that compiled code takes."""

    scale: float  # the number of steps from 0 to 1
    least: Any  # value of each block, in steps
    start: Any  # of each block among the words, in units of BLOCK_WORDS; and the end of the last one
    checksum: Any  # of each section
    words: Any  # and one more, so that every value can be read from two words
    is_verified: Any  # for each section


class PackedSection(NamedTuple):
    """Some blocks, packed."""

    least: np.ndarray
    widths: np.ndarray  # in bits
    words: np.ndarray
    checksum: int


def bits_for(tolerance: float) -> int:
    """The bits per value that add an error of a quarter of the tolerance at most, as far as MOST_BITS allow it."""
    return min(MOST_BITS, int(np.ceil(-np.log2(tolerance))) + 1)


def expected_size(values: int, tolerance: float) -> int:
    """About how many bytes a table will take. By experience, blocks save two bits per value; each takes 64 itself."""
    return round(values * (bits_for(tolerance) - 2 + 64 / BLOCK) / 8)


def no_values() -> Packed:
    """Packed values where there are none."""
    return Packed(1.0, numbers(0, "u4"), numbers(1, "u4"), numbers(0, "u4"), numbers(1, "u4"), numbers(0, "?"))


def packed_sections(values: Iterator[np.ndarray], bits: int) -> Iterator[PackedSection]:
    """Pack values that come in arrays, of which all but the last fill sections."""
    for some in values:
        steps = np.rint(np.asarray(some) * ((1 << bits) - 1)).astype("i8")
        steps = np.pad(steps, (0, -len(steps) % BLOCK), mode="edge")
        for first in range(0, len(steps), SECTION * BLOCK):
            blocks = steps[first : first + SECTION * BLOCK].reshape(-1, BLOCK)
            least = blocks.min(axis=1)
            differences = blocks - least[:, None]
            widths = np.frexp(differences.max(axis=1))[1].astype("i8")
            words = numbers(int(widths.sum()) * BLOCK_WORDS + 1, "u4")
            pack(as_buffer(differences), as_buffer(widths), words)
            full = np.asarray(words)[:-1]
            yield PackedSection(least.astype("u4"), widths, full, int(checksum_of(as_buffer(full), 0, len(full))))


@compiled
def pack(differences: Any, widths: Any, words: Any) -> None:
    """Write the differences of some blocks, each in its number of bits."""
    at = 0
    for block in range(len(widths)):
        for i in range(BLOCK):
            shifted = differences[block, i] << (at & 31)
            words[at >> 5] |= shifted & 0xFFFF_FFFF
            words[(at >> 5) + 1] |= shifted >> 32
            at += widths[block]


@compiled
def checksum_of(words: Any, first: int, end: int) -> int:
    """A checksum of words: the value of a polynomial, modulo a prime."""
    total = 0
    for i in range(first, end):
        total = (total * 1_103_515_245 + int(words[i])) % 2_147_483_647
    return total


@compiled
def unpacked(packed: Packed, number: int) -> float:
    """The value with a number."""
    block = number // BLOCK
    section = block // SECTION
    if not packed.is_verified[section]:
        verify(packed, section)
    start = int(packed.start[block])
    width = int(packed.start[block + 1]) - start
    at = start * BLOCK + number % BLOCK * width
    pair = int(packed.words[at >> 5]) | int(packed.words[(at >> 5) + 1]) << 32
    return (int(packed.least[block]) + (pair >> (at & 31) & (1 << width) - 1)) / packed.scale


@compiled
def verify(packed: Packed, section: int) -> None:
    """Raise an error if a section is not as it was written."""
    first = int(packed.start[section * SECTION]) * BLOCK_WORDS
    end = int(packed.start[min((section + 1) * SECTION, len(packed.least))]) * BLOCK_WORDS
    if checksum_of(packed.words, first, end) != packed.checksum[section]:
        raise KibitzError("The table of values is damaged; delete it and create it again with `kibitz solve`.")
    packed.is_verified[section] = True
