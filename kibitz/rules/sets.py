"""Small sets as bits: a field of kind "u8" holds a set of numbers from 0 to 63.

    s.hand = add(s.hand, card)
    for i in range(size(s.hand)):
        card = nth(s.hand, i)

Combine two sets with `|`, `&` and `^`; the empty set is 0. Do not mix sets with other numbers: in compiled code,
combining an unsigned and a signed word gives a signed word or a float.

Examples:
    >>> import kibitz
    >>> hand = kibitz.sets.add(kibitz.sets.add(0, 5), 60)
    >>> kibitz.sets.has(hand, 5), kibitz.sets.size(hand), kibitz.sets.nth(hand, 1)
    (True, 2, 60)
    >>> kibitz.sets.size(kibitz.sets.drop(hand, 5)), kibitz.sets.count_bits(0b1011)
    (1, 3)
"""

from __future__ import annotations

from typing import Any

from kibitz.compiler import compiled

# Larger than any signed word, so that compiled code treats them as unsigned.
ALL = 0xFFFF_FFFF_FFFF_FFFF  # all members; adding it subtracts 1
LAST = 0x8000_0000_0000_0000  # only the member 63


@compiled
def has(bits: Any, member: int) -> bool:
    """Whether a member is in the set."""
    return (bits >> member & 1) == 1


@compiled
def add(bits: Any, member: int) -> Any:
    """The set with a member added."""
    return bits | LAST >> (63 - member)


@compiled
def drop(bits: Any, member: int) -> Any:
    """The set with a member removed."""
    return bits & (ALL ^ LAST >> (63 - member))


@compiled
def size(bits: Any) -> int:
    """The number of members."""
    count = 0
    while bits != 0:  # compiles to a single machine instruction
        bits &= bits + ALL  # removes the lowest member
        count += 1
    return count


@compiled
def count_bits(bits: int) -> int:
    """The number of bits set in a non-negative integer; `size` is its counterpart for unsigned "u8" fields."""
    count = 0
    while bits:  # compiles to a single machine instruction
        bits &= bits - 1
        count += 1
    return count


@compiled
def nth(bits: Any, n: int) -> int:
    """The n-th smallest member, counting from 0."""
    for _ in range(n):
        bits &= bits + ALL
    lowest = bits & -bits
    return size((lowest + ALL) & ALL)
