"""Sets of bits, compiled and plain, against Python's own sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

import kibitz
from kibitz.compiler import compiled, numbers
from kibitz.rules.sets import add, count_bits, drop, has, nth, size

WORDS = some.one_of(some.integers(0, 2**64 - 1), some.sampled_from([0, 1, 2**63, 2**64 - 1]))
MEMBERS = some.integers(0, 63)


def members(bits):
    return {i for i in range(64) if bits >> i & 1}


def word(items):
    return sum(1 << i for i in items)


def both(function, bits, *args):
    """The result of a function in plain mode, after checking that the compiled one agrees."""
    with kibitz.plain():
        plain = function(bits, *args)
    compiled_result = function(np.uint64(bits), *args)
    assert compiled_result == plain
    assert type(compiled_result) is type(plain)
    return plain


@given(WORDS, MEMBERS)
def test_has_says_whether_the_set_has_a_member(bits, member):
    assert both(has, bits, member) == (member in members(bits))


@given(WORDS, MEMBERS)
def test_add_adds_a_member(bits, member):
    assert both(add, bits, member) == word(members(bits) | {member})


@given(WORDS, MEMBERS)
def test_drop_removes_a_member(bits, member):
    assert both(drop, bits, member) == word(members(bits) - {member})


@given(WORDS)
def test_size_counts_the_members(bits):
    assert both(size, bits) == len(members(bits))


@given(some.one_of(some.integers(0, 2**63 - 1), some.sampled_from([0, 1, 2**62, 2**63 - 1])))
def test_the_bits_of_an_integer_are_counted(number):
    assert count_bits(number) == number.bit_count()
    with kibitz.plain():
        assert count_bits(number) == number.bit_count()


@given(WORDS)
def test_nth_enumerates_the_members_in_order(bits):
    assert [both(nth, bits, i) for i in range(len(members(bits)))] == sorted(members(bits))


@compiled
def dealt(hands, cards):
    """Deal cards 0 … cards − 1 in turn to two hands, then remove the highest card of the first."""
    for card in range(cards):
        hands[card % 2] = add(hands[card % 2], card)
    hands[0] = drop(hands[0], nth(hands[0], size(hands[0]) - 1))
    return size(hands[0] | hands[1])


@pytest.mark.parametrize("plain", [True, False])
def test_sets_can_be_stored_in_u8_fields(plain):
    with kibitz.plain() if plain else pytest.MonkeyPatch.context():
        hands = numbers(2, "u8")
        assert dealt(hands, 64) == 63
        assert [members(bits) for bits in hands.tolist()] == [set(range(0, 62, 2)), set(range(1, 64, 2))]
