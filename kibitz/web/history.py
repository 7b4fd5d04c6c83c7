"""The history of a game from each viewer's point of view: every position and every entry of the log.

A viewer is a player; or NOBODY, a spectator; or None, who sees everything, as everyone does once a game is over. The
others learn nothing here that their View at the table would not have told them. A Board that speaks to somebody
(kibitz/web/results.py) says who did what; without one, players go by their seats.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from kibitz.display.board import Board
from kibitz.display.scene import Scene
from kibitz.display.turning_point import TurningPoint
from kibitz.display.wording import without_markup
from kibitz.rules.contract import CHANCE
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream
from kibitz.state import State
from kibitz.table import Ply, Table, View
from kibitz.web.recent import Recent

HIDDEN = -1  # a move that a viewer did not see
SECRET_MOVE = "a secret move"
KEPT_POSITIONS = 3  # a message shows the last move: the positions before and after it
# What has changed since the last move is found by comparing with the scene before: it must not go when a new one comes.
KEPT_SCENES = 3


class Entry(NamedTuple):
    """A ply in the log."""

    ply: int  # its number, from 1
    seat: int  # or CHANCE
    name: str  # in the game's notation
    say: str  # in words, for people
    words: tuple[str, ...]  # its effects

    def document(self) -> dict[str, Any]:
        return self._asdict()


class GameHistory:
    """Every position of a table's game so far. It has an Engine of its own; use it from one thread at a time."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._engine = Engine(table.game)
        self._states = [table.opening]  # the true ones, before the first ply and after each
        self._plies: list[Ply] = []
        self._seen: dict[int, list[int]] = {}  # by viewer: the move of every ply, or HIDDEN
        self._logs: dict[tuple[Any, ...], list[Entry | None]] = {}  # by viewer and voice: the entry of every ply
        # By viewer and voice: that of every ply, if any.
        self._turning_points: dict[tuple[Any, ...], list[TurningPoint | None]] = {}
        self._positions: Recent[tuple[int, int | None], State] = Recent(KEPT_POSITIONS)  # the last ones looked at
        self._scenes: Recent[tuple[Any, ...], Scene | None] = Recent(KEPT_SCENES)  # the last ones drawn
        self.follow()

    def __len__(self) -> int:
        """The number of plies so far."""
        return len(self._plies)

    def follow(self) -> None:
        """Catch up with the table, which may have gone back, too."""
        history = self.table.history
        kept = 0
        while kept < min(len(history), len(self._plies)) and history[kept] == self._plies[kept]:
            kept += 1
        if kept < len(self._plies):
            self._scenes.clear()
            self._positions.clear()
        del self._plies[kept:], self._states[kept + 1 :]
        for moves in self._seen.values():
            del moves[kept:]
        for entries in self._logs.values():
            del entries[kept:]
        for points in self._turning_points.values():
            del points[kept:]
        for ply in history[kept:]:
            state = self._states[-1].copy()
            self._engine.play(state, ply.move)
            self._states.append(state)
            self._plies.append(ply)

    def turn(self, ply: int) -> int:
        """Who is to act after `ply` plies."""
        return int(self._states[ply].turn)

    def moves(self, ply: int) -> list[int]:
        """The legal moves after `ply` plies, at a player's turn."""
        return self._engine.moves(self._states[ply])

    def moves_since_choice(self, seats: Collection[int]) -> int:
        """How many moves have been made since a player in one of these seats last had a choice, that one included."""
        given = len(self.table.given)
        own = [index for index, ply in enumerate(self._plies) if ply.turn in seats and index >= given]
        choice = next((index for index in reversed(own) if len(self.moves(index)) > 1), own[0])
        return sum(ply.turn != CHANCE for ply in self._plies[choice:])

    def played(self, ply: int) -> Ply:
        """What was actually played after `ply` plies."""
        return self._plies[ply]

    def position(self, ply: int, viewer: int | None) -> State:
        """The position after `ply` plies, as the viewer saw it; not to be changed."""
        key = ply, viewer
        if key not in self._positions:
            state = self._states[ply]
            self._positions[key] = state.without_scratch() if viewer is None else self._engine.redacted(state, viewer)
        return self._positions[key]

    def last_ply(self, ply: int, viewer: int | None) -> int | None:
        """The index of the last player's move that the viewer saw, after `ply` plies."""
        for index in range(ply - 1, -1, -1):
            if self._plies[index].turn != CHANCE and self.seen(index, viewer) != HIDDEN:
                return index
        return None

    def last_move(self, ply: int, viewer: int | None) -> int | None:
        """The last player's move that the viewer saw, after `ply` plies."""
        index = self.last_ply(ply, viewer)
        return None if index is None else self.seen(index, viewer)

    def seen(self, ply: int, viewer: int | None) -> int:
        """The move of a ply, counted from 0, as the viewer saw it; or HIDDEN."""
        if viewer is None or not type(self.table.game).defines("seen"):
            return self._plies[ply].move
        known = self._seen.setdefault(viewer, [])
        for index in range(len(known), ply + 1):
            known.append(max(HIDDEN, self._engine.seen(self._states[index], self._plies[index].move, viewer)))
        return known[ply]

    def scene(self, ply: int, viewer: int, eyes: int | None, board: Board | None = None) -> Scene | None:
        """The position, drawn from a viewer's side of the board, with everything that `eyes` can see."""
        board = board or self.table.board
        key = (ply, viewer, eyes, *_voice(board))
        if key not in self._scenes:
            state, last = self.position(ply, eyes), self.last_move(ply, eyes)
            self._scenes[key] = board.scene(self.table.game, state, viewer, last)
        return self._scenes[key]

    def text(self, ply: int, viewer: int | None) -> str:
        """The position as plain text."""
        markup = self.table.board.text(self.table.game, self.position(ply, viewer), self.last_move(ply, viewer))
        return without_markup(markup)

    def view(self, ply: int, player: int, board: Board | None = None) -> View:
        """The View that a player had after `ply` plies, for analysis."""
        moves = [(self._plies[index].turn, self.seen(index, player)) for index in range(ply)]
        return View(
            game=self.table.game,
            player=player,
            state=self.position(ply, player).copy(),
            moves=self.moves(ply) if self.turn(ply) == player else [],
            history=tuple(Ply(turn, move) for turn, move in moves if move != HIDDEN),
            rng=Stream("analysis", ply),
            board=board or self.table.board,
        )

    def turning_point(self, ply: int, viewer: int | None, board: Board | None = None) -> TurningPoint | None:
        """What was settled by a ply, counted from 0, as the viewer saw it; None if it is a ply like any other."""
        board = board or self.table.board
        if type(board).turning_point is Board.turning_point:
            return None
        known = self._turning_points.setdefault((viewer, *_voice(board)), [])
        for index in range(len(known), ply + 1):
            known.append(self._summary(index, known, viewer, board))
        return known[ply]

    def _summary(
        self, index: int, known: list[TurningPoint | None], viewer: int | None, board: Board
    ) -> TurningPoint | None:
        move = self.seen(index, viewer)
        if move == HIDDEN:
            return None
        began = next((last + 1 for last in range(index - 1, -1, -1) if known[last] is not None), 0)
        positions = [self.position(ply, viewer) for ply in (began, index, index + 1)]
        return board.turning_point(self.table.game, positions[0], positions[1], move, positions[2])

    def log(self, viewer: int | None, board: Board | None = None) -> list[Entry]:
        """All plies so far, as the viewer saw them."""
        board = board or self.table.board
        entries = self._logs.setdefault((viewer, *_voice(board)), [])
        for index in range(len(entries), len(self._plies)):
            entries.append(self._entry(index, viewer, board))
        return [entry for entry in entries if entry is not None]

    def _entry(self, index: int, viewer: int | None, board: Board) -> Entry | None:
        game, turn = self.table.game, self._plies[index].turn
        move = self.seen(index, viewer)
        if move == HIDDEN:
            return None if turn == CHANCE else Entry(index + 1, turn, SECRET_MOVE, SECRET_MOVE, ())
        before, after = self.position(index, viewer), self.position(index + 1, viewer)
        words = tuple(board.effects(game, before, move, after))
        return Entry(index + 1, turn, board.name(game, before, move), board.say(game, before, move), words)


def _voice(board: Board) -> tuple[Any, ...]:
    """Whom a Board speaks of, and to whom: all that its texts depend on beside the position."""
    return tuple(board.names), board.you, tuple(board.seats)
