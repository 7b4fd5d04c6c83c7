"""Random numbers: one small generator for compiled and plain code, and the random streams of a game.

The generator is xoroshiro128++ (Blackman and Vigna, 2019) on an array of two unsigned words. The streams of a game are
derived from (key of the series, number of the game, purpose) by a keyed one-way hash, SipHash-2-4 (Aumasson and
Bernstein, 2012), so that no stream can be predicted from another: without the key, a bot's randomness reveals nothing
about the dice. The hash is compiled because a tournament of quick games starts millions of streams per second.

The key of a series comes from its seed. But seeds are short: a bot that sees the start of its own stream, or a few
dice, can find the seed by trying many, and then knows all other streams. So if a bot plays that is not trusted, the key
comes from the seed and a secret of 128 random bits.

Examples:
    >>> import kibitz
    >>> import numpy as np
    >>> stream = kibitz.rng.Stream("my experiment", 1)
    >>> 0 <= kibitz.rng.below(stream.words, 6) < 6, 0.0 <= kibitz.rng.uniform(stream.words) < 1.0
    (True, True)
    >>> kibitz.rng.pick(stream.words, np.array([0.0, 1.0]), 2), kibitz.rng.next_word(stream.words) < 2**64
    (1, True)
    >>> cards = np.arange(5)
    >>> kibitz.rng.shuffle(stream.words, cards, 5)
    >>> sorted(cards.tolist()), kibitz.rng.mixed(np.uint64(0)) == kibitz.rng.mixed(np.uint64(1))
    ([0, 1, 2, 3, 4], False)
    >>> kibitz.rng.as_seed(7), kibitz.rng.fresh_seed() < 2**32
    (7, True)
    >>> len(kibitz.rng.fresh_secret()), kibitz.rng.as_secret(None) is None
    (32, True)
    >>> key = kibitz.rng.series_key(7)
    >>> dice = kibitz.rng.Stream.of_game(key, number=3, purpose=0)
    >>> kibitz.rng.start_stream(key, 3, 0, stream.words)
    >>> stream.getrandbits(64) == dice.getrandbits(64)
    True
"""

from __future__ import annotations

import hashlib
import operator
import random
import re
import secrets
from typing import Any

import numpy as np

from kibitz.compiler import compiled, is_plain
from kibitz.errors import KibitzError
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
    """A random number in [0, 1)."""
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


@compiled
def mixed(word: Any) -> Any:
    """A multiplicative hash of a word, for hash tables; different words have different hashes."""
    word = word * 0x9E37_79B9_7F4A_7C15 & WORD
    return word ^ word >> 32


# The constants of SipHash with 128-bit output; an array, so that compiled code reads unsigned words.
_SIP = np.array(
    [0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573, 16 << 56, 0xEE, 0xDD], "u8"
)
CHANCE_STREAM = 0  # the purposes of a game's streams; a player's is FIRST_SEAT_STREAM + seat
FIRST_SEAT_STREAM = 1
OPENING_STREAM = 1 << 20  # for random opening moves; more than any game has seats
SECRET_DIGITS = 32  # hexadecimal: 128 bits


def fresh_seed() -> int:
    """A new seed, short enough to be typed again. It is no secret: a program can try them all."""
    return secrets.randbelow(1 << 32)


def as_seed(seed: int | str | None) -> int | str:
    """The seed that is meant; None: a fresh one."""
    if seed is None:
        return fresh_seed()
    if isinstance(seed, str):
        return seed
    try:
        return operator.index(seed)
    except TypeError:
        raise KibitzError(f"A seed is a whole number or a text, not {seed!r}.") from None


def fresh_secret() -> str:
    """128 random bits as hexadecimal digits, which nobody can guess."""
    return secrets.token_hex(SECRET_DIGITS // 2)


def as_secret(secret: str | None, needed: bool = False) -> str | None:
    """The secret that is meant; None: a fresh one if it is needed, otherwise none."""
    if secret is None:
        return fresh_secret() if needed else None
    if not isinstance(secret, str) or not re.fullmatch(f"[0-9a-fA-F]{{{SECRET_DIGITS}}}", secret):
        raise KibitzError(f"A secret consists of {SECRET_DIGITS} hexadecimal digits, unlike {secret!r:.60}.")
    return secret.lower()


def series_key(seed: int | str, secret: str | None = None) -> Any:
    """The key from which all streams of a series of games are derived: of its seed and, if it has one, its secret."""
    return (Stream(seed, "series") if secret is None else Stream(seed, "series", secret)).words


@compiled
def start_stream(key: Any, number: int, purpose: int, rng: Any) -> None:
    """Set the generator `rng` to the start of the stream for one game and purpose."""
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
    b = _rotated(b, 13) ^ a
    a = _rotated(a, 32)
    c = (c + d) & WORD
    d = _rotated(d, 16) ^ c
    a = (a + d) & WORD
    d = _rotated(d, 21) ^ a
    c = (c + b) & WORD
    b = _rotated(b, 17) ^ c
    c = _rotated(c, 32)
    return a, b, c, d


@compiled
def _rotated(word: Any, bits: int) -> Any:
    return (word << bits) & WORD | word >> 64 - bits


class Stream(random.Random):
    """An independent stream of random numbers: a `random.Random`, plus `words` for compiled code.

    Examples:
        >>> import kibitz
        >>> stream = kibitz.rng.Stream("my experiment", 1)
        >>> again = kibitz.rng.Stream("my experiment", 1)
        >>> stream.random() == again.random(), stream.getrandbits(8) == again.getrandbits(8)
        (True, True)
        >>> stream.seed(5)  # does nothing
        >>> stream.setstate(again.getstate())
        >>> stream.choice("abc") == again.choice("abc"), len(stream.words)
        (True, 2)
        >>> dice = kibitz.rng.Stream.of_game(kibitz.rng.series_key(7), number=3, purpose=0)
    """

    def __init__(self, seed: int | str, *path: int | str) -> None:
        # A NumPy integer is the same seed as the equal int.
        steps = (step if isinstance(step, str) else operator.index(step) for step in (seed, *path))
        name = "\0".join(map(repr, steps))
        self._hold(np.frombuffer(hashlib.blake2b(name.encode(), digest_size=16).digest(), "u8").copy())

    @classmethod
    def of_game(cls, key: Any, number: int, purpose: int) -> Stream:
        """The stream for one game of a series and one purpose; `key` is the series_key of the series."""
        stream = cls.__new__(cls)
        stream._hold(np.zeros(2, "u8"))
        start_stream(key, number, purpose, stream.words)
        return stream

    def _hold(self, words: np.ndarray) -> None:
        self._words = words
        self._cells = Cells(words)
        self.gauss_next = None  # random.Random.gauss draws two numbers at a time and keeps the second here

    @property
    def words(self) -> Any:
        """The generator's state; compiled code that receives it advances it."""
        return self._cells if is_plain() else self._words

    def random(self) -> float:
        """A random number from 0 up to, but not including, 1."""
        return (self._word() >> 11) * 2.0**-53

    def getrandbits(self, k: int) -> int:
        """An integer of `k` random bits."""
        if k < 0:
            raise ValueError("number of bits must be non-negative")
        bits = 0
        for shift in range(0, k, 64):
            bits |= self._word() << shift
        return bits >> -k % 64

    def _word(self) -> int:
        return next_word.py_func(self._cells)  # type: ignore[attr-defined]

    def seed(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: a stream cannot be reseeded; create another one."""

    def getstate(self) -> Any:
        """Where the stream stands, as plain values."""
        return (*self._words.tolist(), self.gauss_next)

    def setstate(self, state: Any) -> None:
        """Go on from where another stream, or this one, stood."""
        *words, gauss_next = state
        self._hold(np.array(words, "u8"))
        self.gauss_next = gauss_next

    def __reduce__(self) -> Any:
        return Stream, (0,), self.getstate()
