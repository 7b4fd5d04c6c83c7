"""What a learner sees of a position: the features of the game as a dense array, as one player may see it.

Every player sees the table from its own seat, whoever is to act: everything that this player must not know is blanked
first, and then the features are told as if it were this player's turn. Features found by watching random games are
facts, 0 or 1, in bytes; the places of each field are compiled in, so that a small observation takes a few nanoseconds.
The features of a game's own are float32.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import as_buffer, compiled, mode, native, numbers, records, running_in
from kibitz.compiler.bit_writes import write_bits
from kibitz.compiler.record_reads import read_number
from kibitz.errors import KibitzError
from kibitz.learn.features import Features
from kibitz.learn.method_features import ZERO, features_for
from kibitz.learn.watched_features import (
    APART,
    HOW,
    LEFT_OUT,
    ONE_HOT,
    THERMOMETER,
    FieldRow,
    WatchedFeatures,
)
from kibitz.rules.registry import GameLike, as_game, spec_of
from kibitz.state import State


class Eyes(NamedTuple):
    """How compiled code sees positions."""

    write: Any  # (game, what the viewer may know, the viewer, where to write, own)
    own: Any  # an OwnFeatures for `write`; None with features found by watching
    known: Any  # [what the viewer may know] in a game with hidden information; else None
    scratch: Any  # the words of `known` that hold its scratch fields; else None


class OwnFeatures(NamedTuple):
    """The features of a game's own, and what it takes to describe a position by them."""

    features: Any
    turned: Any  # [the position, as if it were the viewer's turn]
    places: Any
    amounts: Any


@compiled
def observe(game: Any, eyes: Eyes, s: Any, viewer: int, out: Any) -> None:
    """Write what a player sees of a position."""
    look(game, eyes.write, eyes.own, eyes.known, eyes.scratch, s, viewer, out)


@compiled
def look(game: Any, write: Any, own: Any, known: Any, scratch: Any, s: Any, viewer: int, out: Any) -> None:
    if known is None:
        write(game, s, viewer, out, own)
    else:  # numba drops the branch that does not apply
        known[0] = s
        scratch[:] = 0  # scratch fields may leak hidden information
        game.redact(known[0], viewer)
        write(game, known[0], viewer, out, own)


@compiled
def write_own_features(game: Any, s: Any, viewer: int, out: Any, own: OwnFeatures) -> None:
    """Write the features of a game's own."""
    own.turned[0] = s
    own.turned[0].turn = viewer
    out[:] = 0.0
    for i in range(own.features.describe(game, own.turned[0], own.places, own.amounts)):
        out[own.places[i]] += own.amounts[i]


@functools.lru_cache(maxsize=64)
def facts_writer(features: WatchedFeatures) -> Any:
    """A compiled function that writes the facts which WatchedFeatures.describe lists, straight to their places.

    Every field has a function of its own, in which all that is known about the field are constants.
    """
    write_fields: Any = write_nothing
    for row, thresholds in features.layout:
        write_fields = _one_after_another(write_fields, _field_writer(row, thresholds))

    @compiled
    def write_facts(game: Any, s: Any, viewer: int, out: Any, own: Any) -> None:
        out[:] = 0
        out[viewer] = 1
        write_fields(s, viewer, out)

    return write_facts


@compiled
def write_nothing(s: Any, viewer: int, out: Any) -> None:
    """Write no facts."""


def _one_after_another(first: Any, second: Any) -> Any:
    """A compiled function that calls two."""

    @compiled
    def write_both(s: Any, viewer: int, out: Any) -> None:
        first(s, viewer, out)
        second(s, viewer, out)

    return write_both


def _field_writer(row: FieldRow, thresholds: Sequence[int]) -> Any:
    """A compiled function that writes the facts of one field."""
    is_one_hot, is_thermometer = row.how == HOW.index(ONE_HOT), row.how == HOW.index(THERMOMETER)
    limits = np.array(thresholds or [0], "i8")

    @compiled
    def write_field(s: Any, viewer: int, out: Any) -> None:
        at = row.offset
        for owner in range(row.owners):
            seat = 0 if row.owners == 1 else owner - viewer if owner >= viewer else owner - viewer + row.owners
            place = row.first + viewer * row.apart + seat * row.group * row.spacing
            for _ in range(row.group):
                value = read_number(s, at, row.size)
                if row.signed and viewer == 1:
                    value = -value
                if is_one_hot:
                    if value != row.usual:
                        out[place + min(max(value - row.low, 0), row.facts - 1)] = 1
                elif is_thermometer:
                    reached = 0
                    for k in range(row.facts):
                        reached += 1 if value >= limits[k] else 0
                    write_bits(out, place, (1 << reached) - 1, row.facts)
                else:
                    write_bits(out, place, value & row.mask, row.facts)
                at += row.stride
                place += row.spacing

    return write_field


class Observer:
    """Sees positions of one game as its players may see them."""

    def __init__(self, game: GameLike, method: str = ZERO) -> None:
        """`method` is the way of learning whose features are seen: "zero", "td" or "tree"."""
        self.game = as_game(game)
        self.features = features_for(self.game, method)
        self.size = self.features.size(self.game)
        self.dtype = np.dtype(np.uint8 if isinstance(self.features, WatchedFeatures) else np.float32)
        self._mode = mode()

    @functools.cached_property
    def _bound(self) -> tuple[Any, Eyes]:
        """What `see` calls, compiled when it is first needed."""
        eyes, position, out = self.new_eyes(), records(1, self.game.dtype), as_buffer(self.room(1))
        return observe.bind(self.game, eyes, position[0], 0, out[0]), eyes  # type: ignore[attr-defined]

    def room(self, count: int) -> np.ndarray:
        """A zeroed array for so many observations."""
        return np.zeros((count, self.size), self.dtype)

    def see(self, state: State, viewer: int) -> np.ndarray:
        """What a player sees of a position, of which everything else is blanked, in a new array."""
        if not 0 <= viewer < self.game.players:
            raise KibitzError(f"There is no player {viewer!r}; players count from 0 to {self.game.players - 1}.")
        if state.record.dtype != self.game.dtype:
            raise KibitzError(f"This position is not one of {spec_of(self.game)}.")
        seen = np.empty(self.size, self.dtype)
        with running_in(self._mode):
            function, eyes = self._bound
            function(self.game, eyes, native(state), viewer, as_buffer(seen))
        return seen

    def new_eyes(self) -> Eyes:
        """Eyes of its own for each thread."""
        known = np.zeros(1, self.game.dtype)
        hidden = self.game.has_hidden_information
        watched = isinstance(self.features, WatchedFeatures)
        return Eyes(
            write=facts_writer(self.features) if isinstance(self.features, WatchedFeatures) else write_own_features,
            own=None if watched else self._own_features(self.features),
            known=as_buffer(known) if hidden else None,
            scratch=as_buffer(known.view("u8")[self.game.public_words :]) if hidden else None,
        )

    def _own_features(self, features: Features) -> OwnFeatures:
        most = features.most(self.game)
        turned = records(1, self.game.dtype)
        return OwnFeatures(features, turned, numbers(most + 1, "i8"), numbers(most + 1, "f8"))

    def explained(self) -> list[str]:
        """What each place of an observation means, as lines of text."""
        if not isinstance(self.features, WatchedFeatures):
            what = (inspect.getdoc(self.features) or "").partition("\n")[0]
            return [f"0–{self.size - 1}: {type(self.features).__name__}, float32: {what}"]
        players = self.game.players
        lines = [f"0–{players}: the seat of the player who sees it (of {players}; the last is never set)"]
        begin = players + 1
        for seen in self.features.fields:
            if seen.how == LEFT_OUT:
                lines.append(str(seen))
                continue
            end = begin + seen.elements * seen.count * (players if seen.whose == APART else 1)
            lines.append(f"{begin}–{end - 1}: {seen}")
            begin = end
        return lines
