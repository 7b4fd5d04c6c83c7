"""A roll of Camel Up in pictures: the die that leaves the pyramid shows its number before the camels move."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kibitz.display.board import Board
from kibitz.display.scene import Scene
from kibitz.games.camelup.rules import ROLL
from kibitz.games.camelup.scene import draw
from kibitz.games.camelup.track import FACES
from kibitz.rules.contract import CHANCE
from kibitz.rules.sets import count_bits
from kibitz.state import State


def is_roll(s: State) -> bool:
    """Whether a die is about to be rolled in a leg; before the first one, the camels line up."""
    return bool(s.turn == CHANCE and s.leg > 0)


def moved_camels(game: Any, s: State, outcome: int) -> State:
    """A copy of the position after a roll has moved the camels, and before a leg that it ends is paid."""
    moved = s.copy()
    camel, distance = outcome // FACES, outcome % FACES + 1
    paid = moved.coins if game.is_camelai else moved.rolls
    paid[s.turns % game.players] += 1
    moved.dice ^= 1 << game.die_of(s, camel)
    game.advance(moved, game.crazy_mover(s, camel) if camel >= game.camels else camel, distance)
    return moved


def roll_steps(board: Board, game: Any, s: State, outcome: int, viewer: int) -> Iterator[Scene]:
    """The die with its number; if that ends the leg, also where the camels stand before everything is put back."""
    yield draw(game, s, viewer, ROLL, outcome, board)
    moved = moved_camels(game, s, outcome)
    if count_bits(moved.dice) == game.spare_dice or not all(0 <= at < game.squares for at in moved.square.tolist()):
        yield draw(game, moved, viewer, ROLL, outcome, board)
