"""What a player is handed when it is to move: the position and the history as that player sees them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kibitz.display.board import Board, find_move
from kibitz.display.picture import Picture, position_html
from kibitz.display.wording import without_markup
from kibitz.rules.contract import CHANCE, NOBODY, OVER, Game
from kibitz.rules.engine import Engine
from kibitz.rules.registry import spec_of
from kibitz.rules.rng import Stream
from kibitz.state import State

SHOWN_NAMES = 8  # in the repr of a table or a view
PICTURE_WIDTH = 420  # pixels


class Ply(NamedTuple):
    """One entry of a history: who acted (a player or CHANCE) and what they did.

    Examples:
        >>> import kibitz
        >>> table = kibitz.Table("connect_four")
        >>> table.play("4")
        >>> table.history
        (Ply(turn=0, move=3),)
    """

    turn: int
    move: int


@dataclass(repr=False)
class View:
    """What a bot is handed when it is to move: all it may know, and nothing it could spoil.

    Examples:
        >>> import kibitz
        >>> table = kibitz.Table("connect_four")
        >>> table.play("4")
        >>> view = table.view(1)
        >>> view.moves, view.names
        ([0, 1, 2, 3, 4, 5, 6], ['1', '2', '3', '4', '5', '6', '7'])
        >>> view.name(2), view.parse("3")
        ('3', 2)
        >>> view.since  # what has happened since this player last chose
        (Ply(turn=0, move=3),)
        >>> view.line_names([3, 3])
        ['4', '4']
        >>> view.say(2), view.say_line([3, 3]), view.parse("Column 3")  # for people
        ('column 3', ['column 4', 'column 4'], 2)
        >>> print(view.text())
        <BLANKLINE>
         │ ·  ·  ·  ·  ·  ·  · │
         │ ·  ·  ·  ·  ·  ·  · │
         │ ·  ·  ·  ·  ·  ·  · │
         │ ·  ·  ·  ·  ·  ·  · │
         │ ·  ·  ·  ·  ·  ·  · │
         │ ·  ·  ·  ●  ·  ·  · │
         └─────────────────────┘
           1  2  3  4  5  6  7
        >>> view.picture()
        <Picture: a position of connect_four>
        >>> view
        <View of connect_four for Yellow, 1 plies seen, legal moves: 1, 2, 3, 4, 5, 6, 7>
    """

    game: Game
    player: int
    state: State  # redacted, in memory of its own
    moves: list[int]  # legal now; empty when it is not this player's turn
    history: tuple[Ply, ...]  # all plies as this player saw them, in order
    rng: Stream  # this seat's own randomness
    time: float | None = None  # seconds for this move; None: no limit
    board: Board = field(default_factory=Board)
    history_names: tuple[str, ...] = ()  # the history in the game's notation, if the table was asked for it

    @property
    def since(self) -> tuple[Ply, ...]:
        """The plies since this player last stood before a choice: its own last move and all that came after."""
        own = [i for i, ply in enumerate(self.history) if ply.turn == self.player]
        return self.history[own[-1] :] if own else self.history

    def name(self, move: int) -> str:
        """A legal move in the game's notation."""
        return self.board.name(self.game, self.state, move)

    @property
    def names(self) -> list[str]:
        """The legal moves in the game's notation."""
        return [self.name(move) for move in self.moves]

    def say(self, move: int) -> str:
        """A legal move in words, for people."""
        return self.board.say(self.game, self.state, move)

    def parse(self, text: str) -> int:
        """The legal move with a name, or called so in words; IllegalMove when there is none."""
        return find_move(text, self.moves, self.names, self.say)

    def line_names(self, line: Sequence[int]) -> list[str]:
        """A line of play in the game's notation, as far as it can be followed from what the player knows."""
        return [self.board.name(self.game, state, move) for state, move in self._followed(line)]

    def say_line(self, line: Sequence[int]) -> list[str]:
        """A line of play in words, for people, as far as it can be followed from what the player knows."""
        return [self.board.say(self.game, state, move) for state, move in self._followed(line)]

    def _followed(self, line: Sequence[int]) -> Iterator[tuple[State, int]]:
        """Each move of a line, with the position in which it is made."""
        if self.game.has_hidden_information:
            yield from ((self.state, move) for move in line[:1])
            return
        engine, state = Engine(self.game), self.state.copy()
        for move in line:
            if state.turn == OVER:
                return
            legal = [o for o, _ in engine.outcomes(state)] if state.turn == CHANCE else engine.moves(state)
            if move not in legal:
                return
            yield state, move
            engine.play(state, move)

    def text(self) -> str:
        """The position as this player sees it, as plain text."""
        return without_markup(self.board.text(self.game, self.state))

    def picture(self) -> Picture | None:
        """The position as this player sees it, drawn; None if the game draws no scenes."""
        return picture_of(self.game, self.board, self.state, self.player, last_move(self.history))

    def __repr__(self) -> str:
        return f"<View of {self._words}>"

    def _repr_html_(self) -> str:
        return position_html(self.picture(), self.text(), self._words)

    @property
    def _words(self) -> str:
        viewer = "a spectator" if self.player == NOBODY else self.board.seat(self.player)
        legal = f"legal moves: {listed(self.names)}" if self.moves else "not to move"
        return f"{spec_of(self.game)} for {viewer}, {len(self.history)} plies seen, {legal}"


def last_move(plies: Sequence[Ply]) -> int | None:
    """The last move of a player among some plies."""
    return next((ply.move for ply in reversed(plies) if ply.turn != CHANCE), None)


def picture_of(game: Game, board: Board, state: State, viewer: int, last: int | None) -> Picture | None:
    """A position, already redacted for its viewer, as that viewer sees it."""
    scene = board.scene(game, state, viewer, last)
    return None if scene is None else Picture(scene, PICTURE_WIDTH, f"a position of {spec_of(game)}")


def listed(names: Sequence[str], last: bool = False) -> str:
    """The first names of many, or the last ones."""
    if len(names) <= SHOWN_NAMES:
        return ", ".join(names)
    return ", ".join(("…", *names[-SHOWN_NAMES:]) if last else (*names[:SHOWN_NAMES], "…"))
