"""Features for any game, found by watching random games.

A fixed series of random games is watched through the eyes of the player to act, and each field of the record is
described by what its numbers do:

- few values: one fact for each value but the most common one (one-hot);
- many values, changed in small steps: one fact for each threshold that is reached (thermometer);
- many values of which a move changes few bits: one fact for each bit that is set;
- never changing, or anything else, such as hashes, lists in no particular order and fractions: left out.

Positions are told from the side of the player to act. A field whose first axis has an entry per player is rotated, so
that the mover's entry comes first; in a game for two, a field with numbers on both sides of 0 is taken to show the
owner by the sign, which is turned round for the second player. All other fields get facts of their own for each of two
players to act; with more players, only those that may hold the numbers of players do. Values that were never seen count
as the nearest one that was, and bits that were never seen are ignored.

The same game gives the same features, on any machine. They are stored with what was learned from them, together with a
digest of the watched games: if the rules play differently now, the digest differs, and old weights are refused.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import as_buffer, compiled, mode, numbers
from kibitz.compiler.record_reads import read_number
from kibitz.errors import KibitzError
from kibitz.learn.features import Features, list_bits
from kibitz.learn.watched_games import WatchedGames, watched_games
from kibitz.rules.contract import Game
from kibitz.rules.registry import spec_of
from kibitz.state import is_scratch

FEW = 16  # values that are told apart one by one
WIDEST = 64  # the range that so few values may span
THRESHOLDS = 12  # of a thermometer
MOST_FACTS = 6000  # of one field
LARGEST_QUANTITY = 2**31  # a larger number that is no set of bits is a hash, or several numbers in one
SMALL_STEP = 0.15  # of a quantity, as a share of its range; numbers in no order differ by more
NOT_PLAYERS = 2  # values beside the numbers of the players that a field of such numbers may have
NARROW = 8  # bits
PIECE = 4  # bytes of a set of bits that are read at a time, so that they are never negative

ONE_HOT, THERMOMETER, BITS, LEFT_OUT = "one-hot", "thermometer", "bits", "left out"
HOW = ONE_HOT, THERMOMETER, BITS
WHOSE = SHARED, APART, OWNED, SIGNED = "for all", "for each player to act", "by owner", "signed by owner"


@dataclass(frozen=True)
class SeenField:
    """How one field of the record is described."""

    name: str
    how: str  # ONE_HOT, THERMOMETER, BITS or LEFT_OUT
    whose: str  # SHARED, APART, OWNED or SIGNED
    elements: int  # numbers in the field
    values: int  # different ones that were seen
    low: int = 0  # the least of them
    count: int = 0  # facts per number
    usual: int = 0  # the most common value, which is no fact
    thresholds: tuple[int, ...] = ()
    mask: int = 0  # the bits that were seen

    def __str__(self) -> str:
        many = f"{self.elements} × " if self.elements > 1 else ""
        if self.how == LEFT_OUT:
            return f"{self.name}: left out ({many}{self.values} {'values' if self.values > 1 else 'value'})"
        return f"{self.name}: {many}{self.count} facts, {self.how}, {self.whose}"


class FieldRow(NamedTuple):
    """A field, or a part of one, as compiled code reads it."""

    offset: int  # of the first number, in bytes
    size: int  # of a number
    stride: int  # from one number to the next
    owners: int  # players with a share of the numbers; 1: they are not told by player
    group: int  # numbers per owner
    how: int  # the index in HOW
    low: int
    facts: int  # per number
    usual: int
    mask: int
    signed: int
    first: int  # the place of the first fact
    spacing: int  # places from one number to the next
    apart: int  # places from one player to act to the next; 0: they share the facts

    @property
    def most(self) -> int:
        """The most facts that describe one number."""
        return {ONE_HOT: 1, THERMOMETER: self.facts, BITS: self.mask.bit_count()}[HOW[self.how]]


@dataclass(init=False, eq=False)
class WatchedFeatures(Features):
    """What random games show of any game."""

    rows: Any
    thresholds: Any

    def __init__(self, game: Game, fields: tuple[SeenField, ...], digest: str) -> None:
        self.fields = fields
        self.digest = digest
        rows, self._size = _laid_out(game, fields)
        self.layout = tuple(rows)  # each row with its thresholds
        table = np.array([row for row, _ in rows], "i8").reshape(len(rows), len(FieldRow._fields))
        self.rows = as_buffer(table)
        self.thresholds = numbers((len(rows), THRESHOLDS), "i8")
        for i, (_, thresholds) in enumerate(rows):
            for k, threshold in enumerate(thresholds):
                self.thresholds[i, k] = threshold
        self._most = 1 + sum(row.owners * row.group * row.most for row, _ in rows)

    def size(self, game: Any) -> int:
        return self._size

    def most(self, game: Any) -> int:
        return self._most

    def viewer(self, game: Any, s: Any) -> int:
        return s.turn if s.turn >= 0 else 0

    def describe(self, game: Any, s: Any, places: Any, amounts: Any) -> int:
        turn = s.turn if s.turn >= 0 else 0
        places[0] = s.turn if s.turn >= 0 else game.players  # the first facts say who acts
        n = 1
        for i in range(len(self.rows)):
            row = self.rows[i]
            n = describe_field(s, row, self.thresholds[i], turn, places, n)
        for k in range(n):
            amounts[k] = 1.0
        return n

    def stored(self) -> dict[str, Any]:
        """Everything there is to know about them, in JSON-compatible values."""
        return {"digest": self.digest, "fields": [asdict(s) | {"thresholds": list(s.thresholds)} for s in self.fields]}

    def explained(self) -> list[str]:
        """What is seen of each field, as lines of text."""
        lines = [str(seen) for seen in self.fields]
        return [*lines, f"together {self._size:,} facts, of which at most {self._most:,} hold at a time"]


OFFSET, SIZE, STRIDE, OWNERS, GROUP, HOW_READ, LOW, COUNT, USUAL, MASK, SIGN, FIRST, SPACING, PER_TURN = range(14)


@compiled
def describe_field(s: Any, row: Any, thresholds: Any, turn: int, places: Any, n: int) -> int:
    """Write the facts of one field after the first `n` places; return how many there are then."""
    owners, group, count, how = row[OWNERS], row[GROUP], row[COUNT], row[HOW_READ]
    at = row[OFFSET]
    for owner in range(owners):
        seat = 0 if owners == 1 else owner - turn if owner >= turn else owner - turn + owners
        place = row[FIRST] + turn * row[PER_TURN] + seat * group * row[SPACING]
        for _ in range(group):
            value = read_number(s, at, row[SIZE])
            if row[SIGN] and turn == 1:
                value = -value
            if how == 0:
                if value != row[USUAL]:
                    places[n] = place + min(max(value - row[LOW], 0), count - 1)
                    n += 1
            elif how == 1:
                k = 0
                while k < count and value >= thresholds[k]:
                    places[n] = place + k
                    n += 1
                    k += 1
            else:
                n = list_bits(value & row[MASK], place, places, n)
            at += row[STRIDE]
            place += row[SPACING]
    return n


def _kind_and_offset(game: Game, name: str) -> tuple[np.dtype, int]:
    """The type of a field and where it begins in the record."""
    fields: Any = game.dtype.fields
    kind, offset, *_ = fields[name]
    return kind, int(offset)


def _laid_out(game: Game, fields: tuple[SeenField, ...]) -> tuple[list[tuple[FieldRow, tuple[int, ...]]], int]:
    """The rows that compiled code reads, each with its thresholds, and the number of facts."""
    rows: list[tuple[FieldRow, tuple[int, ...]]] = []
    first = game.players + 1
    for seen in fields:
        if seen.how == LEFT_OUT:
            continue
        kind, offset = _kind_and_offset(game, seen.name)
        size = kind.base.itemsize
        owners = game.players if seen.whose == OWNED else 1
        group = seen.elements // owners
        apart = seen.elements * seen.count if seen.whose == APART else 0
        pieces = range(0, size, PIECE) if seen.how == BITS else range(1)
        for piece in pieces:
            mask = seen.mask >> 8 * piece & (1 << 8 * PIECE) - 1
            if seen.how == BITS and not mask:
                continue
            row = FieldRow(
                offset=offset + piece,
                size=min(size, PIECE) if seen.how == BITS else size,
                stride=size,
                owners=owners,
                group=group,
                how=HOW.index(seen.how),
                low=seen.low,
                facts=min(seen.count - 8 * piece, 8 * PIECE) if seen.how == BITS else seen.count,
                usual=seen.usual,
                mask=mask,
                signed=int(seen.whose == SIGNED),
                first=first + 8 * piece,
                spacing=seen.count,
                apart=apart,
            )
            rows.append((row, seen.thresholds))
        first += seen.elements * seen.count * (game.players if seen.whose == APART else 1)
    return rows, first


# ------------------------------------------------------------------ finding them


def watched_features(game: Game) -> WatchedFeatures:
    """The features of a game, found by watching it.

    Examples:
        >>> import kibitz
        >>> from kibitz.learn.watched_features import watched_features
        >>> watched_features(kibitz.game("connect_four")).explained()[0]
        'discs: 2 × 48 facts, bits, by owner'
    """
    return _watched_features(game, mode())


@functools.lru_cache(maxsize=64)
def _watched_features(game: Game, mode: str) -> WatchedFeatures:
    games = watched_games(game)
    names = [name for name in game.dtype.names or () if not is_scratch(name) and name != "turn"]
    return WatchedFeatures(game, tuple(_seen_field(game, games, name) for name in names), games.digest)


def _seen_field(game: Game, games: WatchedGames, name: str) -> SeenField:
    """How to describe a field, from what its numbers did."""
    kind, _ = _kind_and_offset(game, name)
    values = games.positions[name].reshape(len(games.positions), -1)
    whose = SHARED
    if kind.shape and kind.shape[0] >= game.players and _only_players_have_it(values, kind.shape, game.players):
        values = values[:, : values.shape[1] // kind.shape[0] * game.players]
        whose = OWNED
    if kind.base.kind == "f":
        return SeenField(name, LEFT_OUT, whose, values.shape[1], len(np.unique(values)))
    values = values.astype("i8")
    if whose == SHARED and game.players == 2 and _shows_owner_by_sign(values):
        whose = SIGNED
        values = np.where((games.positions["turn"] == 1)[:, None], -values, values)
    distinct = np.unique(values)
    if whose == SHARED and (game.players == 2 or len(distinct) <= game.players + NOT_PLAYERS):
        whose = APART
    seen = functools.partial(SeenField, name, whose=whose, elements=values.shape[1], values=len(distinct))
    facts = _facts(values, games.follows, is_set=kind.base.kind == "u")
    if facts is None or values.shape[1] * facts["count"] > MOST_FACTS:
        return seen(how=LEFT_OUT)
    return seen(**facts)


def _only_players_have_it(values: np.ndarray, shape: tuple[int, ...], players: int) -> bool:
    """Whether the first axis has an entry per player: as many as players, or more that never change."""
    rest = values.reshape(len(values), *shape)[:, players:]
    return not rest.size or bool((rest == rest[:1]).all())


def _shows_owner_by_sign(values: np.ndarray) -> bool:
    """Whether the numbers below 0 look like those above it."""
    above, below = set(np.unique(values[values > 0]).tolist()), set(np.unique(-values[values < 0]).tolist())
    return values.shape[1] > 1 and 2 * len(above & below) > len(above | below)


def _facts(values: np.ndarray, follows: np.ndarray, is_set: bool) -> dict[str, Any] | None:
    """The facts that describe the numbers of a field, as arguments of SeenField; None if they are left out."""
    distinct, frequency = np.unique(values, return_counts=True)
    low, high = int(distinct[0]), int(distinct[-1])
    if len(distinct) < 2:
        return None
    if len(distinct) <= FEW and high - low < WIDEST and not is_set:
        return {"how": ONE_HOT, "low": low, "count": high - low + 1, "usual": int(distinct[frequency.argmax()])}
    before, after = values[:-1][follows[1:]], values[1:][follows[1:]]
    changed = before != after
    if is_set or (low >= 0 and changed.any() and _looks_like_bits(before[changed], after[changed])):
        mask = int(np.bitwise_or.reduce(values, axis=None)) & (1 << 64) - 1
        return {"how": BITS, "count": mask.bit_length(), "mask": mask}
    steps = np.abs(before[changed] - after[changed])
    if high - low < LARGEST_QUANTITY and steps.size and np.median(steps) <= max(2.0, SMALL_STEP * (high - low)):
        marks = np.unique(np.quantile(values, np.linspace(0.05, 0.97, THRESHOLDS)).astype("i8"))
        marks = marks[marks > low]
        if len(marks):
            return {"how": THERMOMETER, "low": low, "count": len(marks), "thresholds": tuple(marks.tolist())}
    return None


def _looks_like_bits(before: np.ndarray, after: np.ndarray) -> bool:
    """Whether a change turns few bits, and high ones as often as low ones, unlike in a number that counts."""
    turned = before ^ after
    often = np.array([int((turned >> bit & 1).sum()) for bit in range(63)])
    width = int(np.flatnonzero(often)[-1]) + 1
    if often.sum() / len(turned) > max(2.2, 0.12 * width + 1.5):
        return False
    if width <= NARROW:
        return bool(often[width - 1] >= 0.4 * often.max())
    return bool(often[width // 2 :].sum() >= 0.3 * often.sum())


# ------------------------------------------------------------------ stored with weights


def restored_features(game: Game, stored: Mapping[str, Any], what: str) -> WatchedFeatures:
    """The features that `stored()` described, for the game they were found in; `what` names what needs them."""
    try:
        digest = str(stored["digest"])
        fields = tuple(_restored_field(game, values) for values in stored["fields"])
    except (AttributeError, KeyError, TypeError, ValueError):
        raise KibitzError(f"{what} is damaged: its features are not described as expected.") from None
    if digest != watched_features(game).digest:
        raise KibitzError(
            f"{what} was learned from other rules than those of {spec_of(game)} today: "
            "random games of the same seed no longer go the same way."
        )
    return WatchedFeatures(game, fields, digest)


def _restored_field(game: Game, values: Mapping[str, Any]) -> SeenField:
    """A field as it was stored; ValueError if it does not fit the game's record."""
    seen = SeenField(**{**values, "thresholds": tuple(values["thresholds"])})
    wholes = (seen.elements, seen.values, seen.low, seen.count, seen.usual, seen.mask, *seen.thresholds)
    kind, _ = _kind_and_offset(game, seen.name)
    fits = (
        all(type(number) is int for number in wholes)
        and seen.how in (*HOW, LEFT_OUT)
        and seen.whose in WHOSE
        and 0 < seen.elements <= int(np.prod(kind.shape, dtype=int))
        and seen.elements % (game.players if seen.whose == OWNED else 1) == 0
        and 0 <= seen.count * seen.elements <= MOST_FACTS
        and 0 <= seen.mask < 1 << 8 * kind.base.itemsize
        and (seen.how != BITS or seen.mask.bit_length() <= seen.count)
        and (seen.how != THERMOMETER or len(seen.thresholds) == seen.count <= THRESHOLDS)
        and (seen.how != ONE_HOT or seen.count > 0)
        and all(abs(number) < 1 << 62 for number in (seen.low, seen.usual, *seen.thresholds))
    )
    if not fits:
        raise ValueError
    return seen
