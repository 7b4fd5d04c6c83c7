"""How a game is shown: names of moves, seats, the board as text and as a scene. Rules know nothing of it.

A game's Board is the class attribute `board` of its rules, else the class `Board` in `board.py` beside them.
A game without one is still playable: moves are numbers and the board is the list of its fields.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from kibitz.errors import IllegalMove
from kibitz.game import CHANCE, Game
from kibitz.scene import Lesson, Scene
from kibitz.state import State, is_scratch

PALETTE = ("red", "yellow", "green", "blue", "magenta", "cyan", "bright_red", "bright_green")


class Board:
    """The default presentation, and the base of every game's own."""

    seats: Sequence[str] = ()  # what the players are called, in order
    colours: Sequence[str] = PALETTE  # of the players in the terminal
    how_to_move = "Type the name of a move."  # shown to people who play
    variants: Mapping[str, str] = {}  # what the fields of the rules mean, in a few words, to people who choose them

    def name(self, game: Any, s: State, move: int) -> str:
        """A move of the player to act (or an outcome, when s.turn is CHANCE) in the game's notation."""
        return str(move)

    def text(self, game: Any, s: State, last: int | None = None) -> str:
        """The position, in rich's markup. `last` is the move just played."""
        names = [n for n in s.record.dtype.names or () if not is_scratch(n)]
        return "\n".join(f"{name} = {s.record[name].tolist()}".replace("[", r"\[") for name in names)

    def columns(self, game: Any, s: State) -> dict[str, int | float | str]:
        """The position as columns of an exported table, the same ones for every position of a game.

        By default these are the fields, an array as one column per cell (`at_0`, `at_1`). A Board whose fields say
        little (sets of bits) puts columns of its own in their place.
        """
        columns: dict[str, int | float | str] = {}
        for name in s.record.dtype.names or ():
            if not is_scratch(name):
                cells = np.ndindex(s.record[name].shape)
                labels = ("_".join((name, *map(str, cell))) for cell in cells)
                columns.update(zip(labels, s.record[name].ravel().tolist(), strict=True))
        return columns

    def scene(self, game: Any, s: State, viewer: int, last: int | None = None) -> Scene | None:
        """The position as `viewer` (a player, or NOBODY) sees it, to be drawn; None: there is only the text.

        `s` is redacted for the viewer already.
        """
        return None

    def clicks(self, game: Any, s: State, move: int) -> tuple[str, ...]:
        """The pieces of the scene that are clicked, one after the other, to make a legal move; none: a button does.

        No move's clicks may begin with all the clicks of another.
        """
        return ()

    def steps(self, game: Any, s: State, move: int, viewer: int) -> Iterator[Scene]:
        """The scenes between a position and the one after a move, where there is something to see on the way."""
        return iter(())

    def counters(self, game: Any, s: State, player: int) -> dict[str, int | str]:
        """What stands beside a player's name: coins, regions, tiles in hand."""
        return {}

    def told(self, game: Any, before: State, move: int, after: State) -> list[str]:
        """What a move or outcome brought about, beyond its name: payments, a round that ended. One sentence each."""
        return []

    def lessons(self, game: Any) -> list[Lesson]:
        """The rules in plain words, with pictures."""
        return []

    def seat(self, player: int) -> str:
        """What a player is called, or CHANCE."""
        if player == CHANCE:
            return "chance"
        return self.seats[player] if 0 <= player < len(self.seats) else f"player {player + 1}"

    def colour(self, player: int) -> str:
        return self.colours[player % len(self.colours)]


def board_of(game: Game) -> Board:
    """The Board of a game."""
    cls = type(game).board
    if cls is None:
        module = beside(game, "board")
        cls = getattr(module, "Board", None) or Board
    return cls()


def beside(game: Game, name: str) -> Any:
    """The module called `name` in the package of a game's rules, or None."""
    package = getattr(sys.modules.get(type(game).__module__), "__package__", None)
    if not package or importlib.util.find_spec(f"{package}.{name}") is None:
        return None
    return importlib.import_module(f"{package}.{name}")


def find_move(text: str, moves: Sequence[int], names: Sequence[str]) -> int:
    """The move whose name is `text`, whatever its case and spaces."""
    wanted = " ".join(text.split()).lower()
    for move, name in zip(moves, names, strict=True):
        if name.lower() == wanted:
            return move
    shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    raise IllegalMove(f"{text.strip()!r} is not a legal move here; legal: {shown or 'none'}.")
