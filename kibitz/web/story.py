"""The story of a game as each viewer saw it: every position and every entry of the log, from the opening on.

The viewer None has seen everything: to it a finished game is shown. All others are told only what their View tells.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rich.text import Text

from kibitz.engine import Engine
from kibitz.game import CHANCE
from kibitz.rng import Stream
from kibitz.scene import Scene
from kibitz.state import State
from kibitz.table import Ply, Table, View

HIDDEN = -1  # a move that a viewer did not see
IN_SECRET = "a move in secret"


class Entry(NamedTuple):
    """A ply in the log."""

    ply: int  # how many plies had been played with it
    seat: int  # or CHANCE
    name: str
    words: tuple[str, ...]  # what it brought about

    def document(self) -> dict[str, Any]:
        return self._asdict()


class Story:
    """Follows a table. It has rules of its own to play with, and belongs to the thread that asks it."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._engine = Engine(table.game)
        self._states = [self._engine.start()]  # as they truly were: one more than plies
        self._plies: list[Ply] = []
        self._seen: dict[int, list[int]] = {}  # by viewer: every ply's move, or HIDDEN
        self._logs: dict[int | None, list[Entry | None]] = {}  # by viewer: every ply's entry, if it has one
        self.follow()

    def __len__(self) -> int:
        """How many plies have been played."""
        return len(self._plies)

    def follow(self) -> None:
        """Catch up with the table, also when moves were taken back."""
        history = self.table.history
        kept = 0
        while kept < min(len(history), len(self._plies)) and history[kept] == self._plies[kept]:
            kept += 1
        del self._plies[kept:], self._states[kept + 1 :]
        for moves in self._seen.values():
            del moves[kept:]
        for entries in self._logs.values():
            del entries[kept:]
        for ply in history[kept:]:
            state = self._states[-1].copy()
            self._engine.play(state, ply.move)
            self._states.append(state)
            self._plies.append(ply)

    def turn(self, ply: int) -> int:
        """Who is to act after so many plies."""
        return int(self._states[ply].turn)

    def played(self, ply: int) -> Ply:
        """What was truly played after so many plies."""
        return self._plies[ply]

    def position(self, ply: int, viewer: int | None) -> State:
        """The position after so many plies."""
        state = self._states[ply]
        return state.without_scratch() if viewer is None else self._engine.redacted(state, viewer)

    def last_ply(self, ply: int, viewer: int | None) -> int | None:
        """How many plies had been played before the last move of a player that the viewer saw."""
        for index in range(ply - 1, -1, -1):
            if self._plies[index].turn != CHANCE and self.seen(index, viewer) != HIDDEN:
                return index
        return None

    def last(self, ply: int, viewer: int | None) -> int | None:
        """The last move of a player that the viewer saw before."""
        index = self.last_ply(ply, viewer)
        return None if index is None else self.seen(index, viewer)

    def seen(self, ply: int, viewer: int | None) -> int:
        """A ply's move as the viewer saw it, or HIDDEN."""
        if viewer is None or not type(self.table.game).defines("seen"):
            return self._plies[ply].move
        known = self._seen.setdefault(viewer, [])
        for index in range(len(known), ply + 1):
            known.append(max(HIDDEN, self._engine.seen(self._states[index], self._plies[index].move, viewer)))
        return known[ply]

    def scene(self, ply: int, viewer: int, eyes: int | None) -> Scene | None:
        """The position drawn for a viewer as seen with the eyes of that viewer, or with those to which all is open."""
        table = self.table
        return table.board.scene(table.game, self.position(ply, eyes), viewer, self.last(ply, eyes))

    def text(self, ply: int, viewer: int | None) -> str:
        """The position as plain text."""
        markup = self.table.board.text(self.table.game, self.position(ply, viewer), self.last(ply, viewer))
        return Text.from_markup(markup, emoji=False).plain

    def view(self, ply: int, player: int) -> View:
        """What a player stood before after so many plies: to be analysed."""
        moves = [(self._plies[index].turn, self.seen(index, player)) for index in range(ply)]
        return View(
            game=self.table.game,
            player=player,
            state=self.position(ply, player),
            moves=self._engine.moves(self._states[ply]) if self.turn(ply) == player else [],
            history=tuple(Ply(turn, move) for turn, move in moves if move != HIDDEN),
            rng=Stream("analysis", ply),
            board=self.table.board,
        )

    def log(self, viewer: int | None) -> list[Entry]:
        """The story so far."""
        told = self._logs.setdefault(viewer, [])
        for index in range(len(told), len(self._plies)):
            told.append(self._tell(index, viewer))
        return [entry for entry in told if entry is not None]

    def _tell(self, index: int, viewer: int | None) -> Entry | None:
        game, board, turn = self.table.game, self.table.board, self._plies[index].turn
        move = self.seen(index, viewer)
        if move == HIDDEN:
            return None if turn == CHANCE else Entry(index + 1, turn, IN_SECRET, ())
        before, after = self.position(index, viewer), self.position(index + 1, viewer)
        words = tuple(board.told(game, before, move, after))
        return Entry(index + 1, turn, board.name(game, before, move), words)
