"""Small sets as bits: a field of kind "u8" holds any of the members 0 … 63.

    s.hand = add(s.hand, card)
    for i in range(size(s.hand)):
        card = nth(s.hand, i)

Two sets combine with `|`, `&` and `^`; the empty set is 0. Other numbers stay out of it: in compiled code an unsigned
word and a signed one make a signed one, or a float.
"""

from __future__ import annotations

from typing import Any

from kibitz.compiled import compiled

# Above the largest signed word, so that compiled code takes them for unsigned ones.
ALL = 0xFFFF_FFFF_FFFF_FFFF  # every member, and −1 when added
LAST = 0x8000_0000_0000_0000  # the member 63 alone


@compiled
def has(bits: Any, member: int) -> bool:
    """Whether a member is in the set."""
    return (bits >> member & 1) == 1


@compiled
def add(bits: Any, member: int) -> Any:
    """The set with a member."""
    return bits | LAST >> (63 - member)


@compiled
def drop(bits: Any, member: int) -> Any:
    """The set without a member."""
    return bits & (ALL ^ LAST >> (63 - member))


@compiled
def size(bits: Any) -> int:
    """How many members the set has."""
    count = 0
    while bits != 0:  # becomes one machine instruction
        bits &= bits + ALL  # takes the lowest member away
        count += 1
    return count


@compiled
def nth(bits: Any, n: int) -> int:
    """The member with n smaller ones in the set, for n from 0 to size − 1."""
    for _ in range(n):
        bits &= bits + ALL
    lowest = bits & -bits
    return size((lowest + ALL) & ALL)
