"""Random numbers: one small generator for compiled and plain code, and the streams a game draws from.

The generator is xoroshiro128++ (Blackman and Vigna, 2019) on an array of two unsigned words. The streams of a game are
derived from (seed, number of the game, purpose) by a keyed one-way hash, SipHash-2-4 (Aumasson and Bernstein, 2012), so
that nobody who holds one stream can foretell another: a bot's randomness says nothing about the dice. The hash is
compiled, because a tournament of quick games starts millions of streams a second.
"""

from __future__ import annotations

import hashlib
import operator
import random
from typing import Any

import numpy as np

from kibitz.compiled import compiled, is_plain
from kibitz.state import Cells

WORD = 0xFFFF_FFFF_FFFF_FFFF


@compiled
def next_word(rng: Any) -> Any:
    """64 random bits."""
    a = rng[0]
    b = rng[1]
    total = (a + b) & WORD
    result = (((total << 17) & WORD | total >> 47) + a) & WORD
    b = b ^ a
    rng[0] = ((a << 49) & WORD | a >> 15) ^ b ^ ((b << 21) & WORD)
    rng[1] = (b << 28) & WORD | b >> 36
    return result


@compiled
def below(rng: Any, n: int) -> int:
    """A uniformly random integer from 0 to n − 1, for n up to 2³¹ (Lemire's method, exact)."""
    product = int(np.int64(next_word(rng) >> 32)) * n
    low = product & 0xFFFF_FFFF
    if low < n:
        threshold = (0x1_0000_0000 - n) % n
        while low < threshold:
            product = int(np.int64(next_word(rng) >> 32)) * n
            low = product & 0xFFFF_FFFF
    return product >> 32


@compiled
def uniform(rng: Any) -> float:
    """A random number from [0, 1)."""
    return int(np.int64(next_word(rng) >> 11)) * 1.1102230246251565e-16


@compiled
def pick(rng: Any, p: Any, count: int) -> int:
    """An index drawn with the probabilities p[0..count−1]."""
    left = uniform(rng)
    for i in range(count - 1):
        left -= p[i]
        if left < 0.0:
            return i
    return count - 1


@compiled
def shuffle(rng: Any, items: Any, count: int) -> None:
    """Put the first `count` items into random order."""
    for i in range(count - 1, 0, -1):
        j = below(rng, i + 1)
        kept = items[i]
        items[i] = items[j]
        items[j] = kept


# The constants of SipHash with 128 bits of output; as an array, so that compiled code reads unsigned words.
_SIP = np.array(
    [0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573, 16 << 56, 0xEE, 0xDD], "u8"
)
CHANCE_STREAM = 0  # the purposes of a game's streams; a player's is FIRST_SEAT_STREAM + seat
FIRST_SEAT_STREAM = 1
OPENING_STREAM = 1 << 20  # for the random moves that a game may begin with; no game has so many seats


def series_key(seed: int | str) -> Any:
    """The key that all streams of a series of games with one seed are derived with."""
    return Stream(seed, "series").words


@compiled
def start_stream(key: Any, number: int, purpose: int, rng: Any) -> None:
    """Put the generator `rng` at the start of the stream of one game and purpose."""
    rng[0] = number
    rng[1] = purpose
    a = key[0] ^ int(_SIP[0])
    b = key[1] ^ int(_SIP[1]) ^ int(_SIP[5])
    c = key[0] ^ int(_SIP[2])
    d = key[1] ^ int(_SIP[3])
    for i in range(3):
        block = rng[i] if i < 2 else int(_SIP[4])
        d ^= block
        for _ in range(2):
            a, b, c, d = _sip_round(a, b, c, d)
        a ^= block
    c ^= int(_SIP[5])
    for i in range(2):
        for _ in range(4):
            a, b, c, d = _sip_round(a, b, c, d)
        rng[i] = a ^ b ^ c ^ d
        b ^= int(_SIP[6])


@compiled
def _sip_round(a: Any, b: Any, c: Any, d: Any) -> Any:
    a = (a + b) & WORD
    b = _turned(b, 13) ^ a
    a = _turned(a, 32)
    c = (c + d) & WORD
    d = _turned(d, 16) ^ c
    a = (a + d) & WORD
    d = _turned(d, 21) ^ a
    c = (c + b) & WORD
    b = _turned(b, 17) ^ c
    c = _turned(c, 32)
    return a, b, c, d


@compiled
def _turned(word: Any, bits: int) -> Any:
    return (word << bits) & WORD | word >> 64 - bits


class Stream(random.Random):
    """A stream of random numbers of its own: all of `random.Random`, and `words` for compiled code."""

    def __init__(self, seed: int | str, *path: int | str) -> None:
        # A NumPy integer is the same seed as the int it equals.
        steps = (step if isinstance(step, str) else operator.index(step) for step in (seed, *path))
        name = "\0".join(map(repr, steps))
        self._hold(np.frombuffer(hashlib.blake2b(name.encode(), digest_size=16).digest(), "u8").copy())

    @classmethod
    def of_game(cls, key: Any, number: int, purpose: int) -> Stream:
        """The stream of one game of a series for one purpose; `key` is the series_key of its seed."""
        stream = cls.__new__(cls)
        stream._hold(np.zeros(2, "u8"))
        start_stream(key, number, purpose, stream.words)
        return stream

    def _hold(self, words: np.ndarray) -> None:
        self._words = words
        self._cells = Cells(words)
        self.gauss_next = None  # the second of two normal numbers, which random.Random.gauss keeps

    @property
    def words(self) -> Any:
        """The generator's state, to pass to compiled code, which advances it."""
        return self._cells if is_plain() else self._words

    def random(self) -> float:
        return (self._word() >> 11) * 2.0**-53

    def getrandbits(self, k: int) -> int:
        if k < 0:
            raise ValueError("the number of bits must not be negative")
        bits = 0
        for shift in range(0, k, 64):
            bits |= self._word() << shift
        return bits >> -k % 64

    def _word(self) -> int:
        return next_word.py_func(self._cells)  # type: ignore[attr-defined]

    def seed(self, *args: Any, **kwargs: Any) -> None:
        """A stream cannot be seeded again; make another one."""

    def getstate(self) -> Any:
        return (*self._words.tolist(), self.gauss_next)

    def setstate(self, state: Any) -> None:
        *words, gauss_next = state
        self._hold(np.array(words, "u8"))
        self.gauss_next = gauss_next

    def __reduce__(self) -> Any:
        return Stream, (0,), self.getstate()
