"""The generator compared with an independent implementation, and streams that reveal nothing about each other."""

import collections
import copy
import math
import pickle
import struct

import numpy as np
import pytest

import kibitz
from kibitz.compiler import compiled, numbers
from kibitz.errors import KibitzError
from kibitz.rules import rng
from kibitz.rules.rng import (
    Stream,
    as_secret,
    as_seed,
    below,
    fresh_secret,
    fresh_seed,
    next_word,
    pick,
    series_key,
    shuffle,
    uniform,
)
from kibitz.state import Cells

MASK = (1 << 64) - 1
# The first numbers from the state (1, 2), as computed by the authors' xoroshiro128plusplus.c.
FROM_1_AND_2 = [393217, 669327710093319, 1732421326133921491, 11394790081659126983]


def rotated(x, k):
    return (x << k | x >> 64 - k) & MASK


def xoroshiro128plusplus(a, b):
    """As in Blackman and Vigna's C, line by line."""
    while True:
        yield (rotated((a + b) & MASK, 17) + a) & MASK
        b ^= a
        a, b = rotated(a, 49) ^ b ^ (b << 21) & MASK, rotated(b, 28)


@compiled
def words_of(rng, out):
    for i in range(len(out)):
        out[i] = next_word(rng)


@compiled
def draws_of(rng, n, out):
    for i in range(len(out)):
        out[i] = below(rng, n)


@compiled
def reals_of(rng, out):
    for i in range(len(out)):
        out[i] = uniform(rng)


@compiled
def picks_of(rng, p, out):
    for i in range(len(out)):
        out[i] = pick(rng, p, len(p))


def chi_square(counts, expected):
    return sum((count - e) ** 2 / e for count, e in zip(counts, expected, strict=True))


def test_the_generator_gives_the_published_numbers():
    rng = np.array([1, 2], "u8")
    assert [int(next_word(rng)) for _ in range(4)] == FROM_1_AND_2


@pytest.mark.parametrize("state", [(1, 2), (MASK, MASK), (0, 1), (0x0123456789ABCDEF, 0xFEDCBA9876543210)])
def test_the_generator_is_xoroshiro128plusplus_compiled_and_plain(state):
    reference = xoroshiro128plusplus(*state)
    wanted = [next(reference) for _ in range(200)]
    found = np.zeros(200, "u8")
    words_of(np.array(state, "u8"), found)
    assert found.tolist() == wanted
    with kibitz.plain():
        rng = numbers(2, "u8")
        rng[0], rng[1] = state
        assert [next_word(rng) for _ in range(200)] == wanted


@pytest.mark.parametrize("n", [1, 2, 3, 7, 52, 1000])
def test_below_is_uniform(n):
    out = np.zeros(200 * n, "i8")
    draws_of(Stream("below", n).words, n, out)
    counts = np.bincount(out, minlength=n)
    assert len(counts) == n
    assert chi_square(counts, [200] * n) < n + 6 * math.sqrt(2 * n)


@pytest.mark.parametrize("n", [2**31, 2**31 - 1, 3 * 2**29])
def test_below_is_uniform_up_to_its_limit(n):
    out = np.zeros(40_000, "i8")
    draws_of(Stream("far below", n).words, n, out)
    assert out.min() >= 0
    assert out.max() < n
    counts = np.bincount(out * 8 // n, minlength=8)
    assert chi_square(counts, [5000] * 8) < 50


def test_below_gives_the_same_compiled_and_plain():
    out = np.zeros(500, "i8")
    draws_of(Stream(5).words, 2**31 - 1, out)  # near the limit, half of the words have to be drawn again
    with kibitz.plain():
        rng = Stream(5).words
        assert [below(rng, 2**31 - 1) for _ in range(500)] == out.tolist()


def test_uniform_covers_0_to_1_evenly():
    out = np.zeros(40_000)
    reals_of(Stream("uniform").words, out)
    assert out.min() >= 0
    assert out.max() < 1
    assert chi_square(np.histogram(out, 20, (0, 1))[0], [2000] * 20) < 80
    with kibitz.plain():
        rng = Stream("uniform").words
        assert [uniform(rng) for _ in range(100)] == out[:100].tolist()


def test_uniform_never_reaches_1():
    for word in (0, MASK):
        with kibitz.plain():
            rng = numbers(2, "u8")
            rng[0], rng[1] = word, 0
            assert 0 <= uniform(rng) < 1


def test_pick_follows_the_probabilities():
    p = np.array([0.5, 0.2, 0.0, 0.3])
    out = np.zeros(10_000, "i8")
    picks_of(Stream("pick").words, p, out)
    counts = np.bincount(out, minlength=4)
    assert counts[2] == 0
    assert chi_square(counts[[0, 1, 3]], [5000, 2000, 3000]) < 40


def test_shuffle_gives_every_order_equally_often():
    rng = Stream("shuffle").words
    orders = collections.Counter()
    for _ in range(6000):
        items = np.array([0, 1, 2, 99], "i1")
        shuffle(rng, items, 3)
        orders[tuple(items.tolist())] += 1
    assert len(orders) == 6
    assert all(order[3] == 99 for order in orders)
    assert chi_square(orders.values(), [1000] * 6) < 45


def test_a_stream_is_determined_by_its_seed_and_path():
    def head(*path):
        return Stream(*path).getrandbits(64)

    assert head(1, 2, "chance") == head(1, 2, "chance")
    paths = [
        (1, 2, "chance"),
        (1, 2, "seat", 0),
        (1, 2, "seat", 1),
        (1, 3, "chance"),
        (2, 2, "chance"),
        ("1", 2, "chance"),
    ]
    assert len({head(*path) for path in paths}) == len(paths)


def test_the_steps_of_a_path_are_not_concatenated():
    assert Stream("a", "bc").getrandbits(64) != Stream("ab", "c").getrandbits(64)
    assert Stream(1, 23).getrandbits(64) != Stream(12, 3).getrandbits(64)


def test_a_numpy_seed_is_the_same_as_the_equal_int():
    assert Stream(np.int64(7), np.int8(1)).getrandbits(64) == Stream(7, 1).getrandbits(64)


def test_streams_with_the_same_seed_are_independent():
    seat, chance = Stream(1, 0, "seat", 0), Stream(1, 0, "chance")
    pairs = collections.Counter((seat.randrange(6), chance.randrange(6)) for _ in range(18_000))
    assert chi_square([pairs[i, j] for i in range(6) for j in range(6)], [500] * 36) < 36 + 6 * math.sqrt(72)


def test_a_stream_continues_through_compiled_plain_and_random_calls():
    one, other = Stream(9), Stream(9)
    next_word(one.words)
    with kibitz.plain():
        next_word(one.words)
    other.getrandbits(128)
    assert one.random() == other.random()


def test_a_stream_does_everything_that_random_does():
    stream = Stream("all")
    assert sorted(stream.sample(range(5), 5)) == [0, 1, 2, 3, 4]
    assert stream.choice("a") == "a"
    assert all(0 <= stream.randrange(10**30) < 10**30 for _ in range(50))
    assert len(stream.randbytes(5)) == 5
    assert math.isfinite(stream.gauss(0, 1) + stream.gauss(0, 1) + stream.normalvariate(0, 1))
    items = list(range(20))
    stream.shuffle(items)
    assert sorted(items) == list(range(20)) != items


@pytest.mark.parametrize("bits", [0, 1, 31, 64, 65, 128, 200])
def test_getrandbits_fills_its_bits(bits):
    stream = Stream("bits")
    found = 0
    for _ in range(64):
        word = stream.getrandbits(bits)
        assert word >> bits == 0
        found |= word
    assert found == (1 << bits) - 1


def test_a_negative_number_of_bits_is_refused():
    with pytest.raises(ValueError, match="negative"):
        Stream(1).getrandbits(-1)


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda stream: pickle.loads(pickle.dumps(stream))])
def test_a_copied_stream_continues_alike_but_independently(twin):
    stream = Stream(4)
    stream.gauss(0, 1)  # draws two numbers and keeps one
    other = twin(stream)
    assert [stream.gauss(0, 1), stream.random()] == [other.gauss(0, 1), other.random()]
    stream.random()
    assert stream.getstate() != other.getstate()


def test_a_stream_cannot_be_reseeded():
    stream, other = Stream(4), Stream(4)
    stream.seed(1)
    assert stream.random() == other.random()


def test_the_state_of_a_stream_can_be_restored():
    stream = Stream(4)
    kept = stream.getstate()
    first = [stream.random(), stream.gauss(0, 1)]
    stream.setstate(kept)
    assert [stream.random(), stream.gauss(0, 1)] == first


def siphash128(key, message):
    """SipHash-2-4 with 128-bit output, written from its description."""
    words = list(struct.unpack("<QQ", key))
    a, b, c, d = (int.from_bytes(part, "big") for part in (b"somepseu", b"dorandom", b"lygenera", b"tedbytes"))
    v = [words[0] ^ a, words[1] ^ b ^ 0xEE, words[0] ^ c, words[1] ^ d]

    def rounds(count):
        for _ in range(count):
            for i, j, by, turn in ((0, 1, 13, True), (2, 3, 16, False), (0, 3, 21, False), (2, 1, 17, True)):
                v[i] = (v[i] + v[j]) & MASK
                v[j] = rotated(v[j], by) ^ v[i]
                if turn:
                    v[i] = rotated(v[i], 32)

    padded = message + bytes(7 - len(message) % 8) + bytes([len(message)])
    for (block,) in struct.iter_unpack("<Q", padded):
        v[3] ^= block
        rounds(2)
        v[0] ^= block
    v[2] ^= 0xEE
    rounds(4)
    first = v[0] ^ v[1] ^ v[2] ^ v[3]
    v[1] ^= 0xDD
    rounds(4)
    return struct.pack("<QQ", first, v[0] ^ v[1] ^ v[2] ^ v[3])


def test_the_reference_hash_gives_the_published_value():
    assert siphash128(bytes(range(16)), b"").hex() == "a3817f04ba25a8e66df67214c7550293"


@pytest.mark.parametrize(("number", "purpose"), [(0, 0), (1, 0), (12345, 7), (2**62, 8)])
def test_the_streams_of_a_game_are_derived_by_siphash(number, purpose):
    key = np.frombuffer(bytes(range(16)), "u8")
    expected = siphash128(key.tobytes(), struct.pack("<QQ", number, purpose))
    assert Stream.of_game(key, number, purpose)._words.tobytes() == expected
    with kibitz.plain():
        assert Stream.of_game(Cells(key.copy()), number, purpose)._words.tobytes() == expected


def test_every_game_and_purpose_of_a_series_has_its_own_stream():
    starts = {
        Stream.of_game(series_key(seed), number, purpose).getrandbits(64)
        for seed in (1, 2, "one")
        for number in range(20)
        for purpose in range(5)
    }
    assert len(starts) == 3 * 20 * 5


# ------------------------------------------------------------------ seeds


def test_fresh_seeds_differ_and_are_short():
    seeds = {fresh_seed() for _ in range(20)}
    assert len(seeds) > 1
    assert all(0 <= seed < 1 << 32 for seed in seeds)


def test_no_seed_means_a_fresh_one(monkeypatch):
    monkeypatch.setattr(rng, "fresh_seed", iter((5, 6)).__next__)
    assert [as_seed(None), as_seed(None)] == [5, 6]


def test_a_seed_is_a_number_or_a_text():
    assert (as_seed(3), as_seed("three")) == (3, "three")
    assert type(as_seed(np.int64(3))) is int
    with pytest.raises(KibitzError, match=r"A seed is a whole number or a text, not 1\.5\."):
        as_seed(1.5)


# ------------------------------------------------------------------ keys


def test_the_key_of_a_seed_never_changes():
    """Logs, and figures in the documentation, depend on it."""
    assert series_key(0).tolist() == [8143128966301035073, 18303588164989938692]
    assert series_key("text").tolist() == [259031520966549864, 14059856751533105985]
    assert Stream.of_game(series_key(0), 0, 1).getstate() == (8475256820679693930, 9706298533324181965, None)
    assert Stream.of_game(series_key(5), 3, 0).getstate() == (16988941564135854880, 1451185803538337004, None)


def test_the_key_of_a_seed_and_a_secret_never_changes():
    """A published secret must reproduce its tournament in later versions, too."""
    assert series_key(0, "0123456789abcdef" * 2).tolist() == [344377823923460092, 12528362167320829431]


def test_every_seed_and_every_secret_gives_another_key():
    keys = {tuple(series_key(seed, secret)) for seed in (0, 1, "0") for secret in (None, "0" * 32, "1" * 32, "f" * 32)}
    assert len(keys) == 12


def test_fresh_secrets_differ_and_have_128_bits():
    secrets = {fresh_secret() for _ in range(50)}
    assert len(secrets) == 50
    assert {len(bytes.fromhex(secret)) for secret in secrets} == {16}


def test_a_secret_is_made_only_if_it_is_needed_and_not_given(monkeypatch):
    monkeypatch.setattr(rng, "fresh_secret", lambda: "5" * 32)
    given = "AB" * 16
    assert [as_secret(None), as_secret(None, needed=True), as_secret(given, needed=True)] == [None, "5" * 32, "ab" * 16]
    with pytest.raises(KibitzError, match="A secret consists of 32 hexadecimal digits, unlike 'seven'"):
        as_secret("seven")
