"""Examples: positions of self-play with what a network should say of them, as flat arrays.

Position i is described by the places from place_starts[i] to place_starts[i + 1], its moves by those from
move_starts[i] to move_starts[i + 1]. Values are seen from the mover's side, as the network's are. Nothing else is kept
of a game, so that learning needs neither its rules nor its states, and examples can come from other machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np


class Examples(NamedTuple):
    """Positions and their targets."""

    place_starts: Any
    places: Any
    amounts: Any  # of each place
    move_starts: Any
    moves: Any
    policy: Any  # the probability of each move
    values: Any  # [position, seat after the mover]

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.values)

    @property
    def nbytes(self) -> int:
        """The memory they take."""
        return sum(int(array.nbytes) for array in self)

    def cut(self, end: int, begin: int = 0) -> Examples:
        """The examples from `begin` to before `end`."""
        (place, last_place), (move, last_move) = self.place_starts[[begin, end]], self.move_starts[[begin, end]]
        return Examples(
            place_starts=self.place_starts[begin : end + 1] - place,
            places=self.places[place:last_place].copy(),
            amounts=self.amounts[place:last_place].copy(),
            move_starts=self.move_starts[begin : end + 1] - move,
            moves=self.moves[move:last_move].copy(),
            policy=self.policy[move:last_move].copy(),
            values=self.values[begin:end].copy(),
        )


def room_for(count: int, places: int, moves: int, players: int) -> Examples:
    """Room for `count` examples with as many places and moves altogether."""
    return Examples(
        place_starts=np.zeros(count + 1, "i8"),
        places=np.zeros(places, "i4"),
        amounts=np.zeros(places, "f4"),
        move_starts=np.zeros(count + 1, "i8"),
        moves=np.zeros(moves, "i4"),
        policy=np.zeros(moves, "f4"),
        values=np.zeros((count, players), "f4"),
    )


def joined(parts: Sequence[Examples]) -> Examples:
    """All examples, one after the other."""
    starts = _joined_starts([part.place_starts for part in parts]), _joined_starts([part.move_starts for part in parts])
    flat = {name: np.concatenate([getattr(part, name) for part in parts]) for name in Examples._fields}
    return Examples(**flat)._replace(place_starts=starts[0], move_starts=starts[1])


def _joined_starts(starts: Sequence[np.ndarray]) -> np.ndarray:
    found, end = [np.zeros(1, "i8")], 0
    for part in starts:
        found.append(part[1:] + end)
        end += int(part[-1])
    return np.concatenate(found)
