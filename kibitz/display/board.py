"""How a game is shown: names and words for moves, seats, the board as text and as a scene. Rules do not depend on it.

A move is called twice: `name` is the game's notation, for programs, logs and records ("leg c_0"); `say` is what people
read and hear ("bet on blue to win the leg"). Both can be typed.

A game's Board is one of its extras (kibitz/rules/extras.py): the attribute `board` of its rules, or a class `Board`.
A game without one is still playable: moves are numbers and the board is a list of the state's fields.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from kibitz.display.scene import Lesson, Piece, Scene
from kibitz.display.turning_point import TurningPoint
from kibitz.display.wording import capital, second_person
from kibitz.errors import IllegalMove, KibitzError, RulesError
from kibitz.rules.contract import CHANCE, Game
from kibitz.rules.source import place_of
from kibitz.state import State, is_scratch

PALETTE = ("red", "yellow", "green", "blue", "magenta", "cyan", "bright_red", "bright_green")


class Board:
    """The default presentation of a game, and the base class for custom ones.

    Examples:
        >>> import kibitz
        >>> table = kibitz.Table("connect_four")
        >>> table.play("4")
        >>> board, game, state = table.board, table.game, table.state
        >>> board.seat(0), board.colour(0), board.name(game, state, 2)
        ('Red', '#ff5f5f', '3')
        >>> board.say(game, state, 2)
        'column 3'
        >>> spoken = board.with_players(["You", "Mia"], you=0)
        >>> spoken.does(0, "wins"), spoken.does(1, "wins"), spoken.whose(0), spoken.whose(1)
        ('You win', 'Mia wins', 'your', "Mia's")
        >>> board.text(game, state).count("●"), board.columns(game, state)["plies"]
        (1, 1)
        >>> board.scene(game, state, viewer=kibitz.NOBODY).width, board.clicks(game, state, 2)
        (7.8, ('column-3',))
        >>> list(board.steps(game, state, 2, viewer=0)), board.counters(game, state, 0)
        ([], {})
        >>> board.effects(game, state, 2, state), board.lessons(game)[0].title
        ([], 'The goal')
        >>> board.landing(game, state, 2)[0].label, board.turning_point(game, state, state, 2, state)
        ('a yellow disc in column 3, row 1', None)
    """

    seats: Sequence[str] = ()  # the players' names, in order
    colours: Sequence[str] = PALETTE  # the players' colours in the terminal
    how_to_move = "Type the name of a move."  # shown to human players
    names: Sequence[str] = ()  # of those who play, in order, where they are known
    you: int | None = None  # the player who is spoken to
    variants: Mapping[str, str] = {}  # what each field of the rules is called, for people choosing a variant …
    # … and what its values are called, where they do not speak for themselves
    choices: Mapping[str, Mapping[Any, str]] = {}

    def name(self, game: Any, s: State, move: int) -> str:
        """A move of the player to act (or a chance outcome, if s.turn is CHANCE) in the game's notation."""
        return str(move)

    def say(self, game: Any, s: State, move: int) -> str:
        """The same in words, for people: "bet on blue to win the leg". By default, its name.

        `s` contains only what the reader may know. The words of different moves must differ, as their names do.
        """
        return self.name(game, s, move)

    def text(self, game: Any, s: State, last: int | None = None) -> str:
        """The position in rich markup. `last` is the move just played."""
        names = [n for n in s.record.dtype.names or () if not is_scratch(n)]
        return "\n".join(f"{name} = {s.record[name].tolist()}".replace("[", r"\[") for name in names)

    def columns(self, game: Any, s: State) -> dict[str, int | float | str]:
        """The position as columns of an exported table; every position of a game has the same columns.

        By default these are the fields, with one column per cell of an array (`at_0`, `at_1`). A Board whose fields
        are hard to read (sets of bits) should return its own columns instead.
        """
        columns: dict[str, int | float | str] = {}
        for name in s.record.dtype.names or ():
            if not is_scratch(name):
                cells = np.ndindex(s.record[name].shape)
                labels = ("_".join((name, *map(str, cell))) for cell in cells)
                columns.update(zip(labels, s.record[name].ravel().tolist(), strict=True))
        return columns

    def scene(self, game: Any, s: State, viewer: int, last: int | None = None) -> Scene | None:
        """The position to draw, as `viewer` (a player, or NOBODY) sees it; None if the game has only text.

        `s` is already redacted for the viewer.
        """
        return None

    def clicks(self, game: Any, s: State, move: int) -> tuple[str, ...]:
        """The pieces of the scene to click, in order, to make a legal move; if none, the move gets a button.

        The clicks of one move must not be a prefix of the clicks of another.
        """
        return ()

    def steps(self, game: Any, s: State, move: int, viewer: int) -> Iterator[Scene]:
        """Intermediate scenes between a position and the one after a move, if there is something to show."""
        return iter(())

    def landing(self, game: Any, s: State, move: int) -> tuple[Piece, ...]:
        """The pieces that a legal move puts down, where they will lie: drawn faintly while the move is considered."""
        return ()

    def turning_point(self, game: Any, began: State, before: State, move: int, after: State) -> TurningPoint | None:
        """A summary to hold the game at, if a move or outcome ends a round, a leg or the like; otherwise None.

        `began` is the position after the last turning point, or at the start of the game. All positions are as one
        viewer sees them. The board shows the last of the `steps` meanwhile or, if there are none, the position before.
        """
        return None

    def counters(self, game: Any, s: State, player: int) -> dict[str, int | str]:
        """Values shown next to a player's name: coins, regions, tiles in hand."""
        return {}

    def effects(self, game: Any, before: State, move: int, after: State) -> list[str]:
        """Side effects of a move or outcome, one sentence each: payments, the end of a round."""
        return []

    def lessons(self, game: Any) -> list[Lesson]:
        """The rules in plain language, with pictures."""
        return []

    def seat(self, player: int) -> str:
        """The name of a player, or of CHANCE."""
        if player == CHANCE:
            return "chance"
        return self.seats[player] if 0 <= player < len(self.seats) else f"player {player + 1}"

    def with_players(self, names: Sequence[str], you: int | None = None, seats: Sequence[str] = ()) -> Self:
        """The same board, whose texts call the players by their own names, and the player `you` "you".

        `seats` are the seats by other names, such as those of the colours that people chose.
        """
        board = copy.copy(self)
        board.names, board.you = tuple(names), you
        board.seats = tuple(seats) or self.seats
        return board

    def called(self, player: int) -> str:
        """A player's own name, or "You"; if it is not known, the name of the seat: "Player 2".

        Examples:
            >>> import kibitz
            >>> kibitz.Board().called(1)
            'Player 2'
        """
        if player == self.you:
            return "You"
        return self.names[player] if 0 <= player < len(self.names) else capital(self.seat(player))

    def whose(self, player: int) -> str:
        """What a player's things are called by: "your", "Mia's", "Player 2's"."""
        return "your" if player == self.you else f"{self.called(player)}'s"

    def does(self, player: int, verb: str) -> str:
        """A player and what they do; `verb` is in the third person: "Mia captures", "You capture"."""
        return f"{self.called(player)} {second_person(verb) if player == self.you else verb}"

    def colour(self, player: int) -> str:
        """The colour of a player in the terminal."""
        return self.colours[player % len(self.colours)]


def board_of(game: Game) -> Board:
    """The Board of a game."""
    cls = game.extra("board") or Board
    if not isinstance(cls, type):
        raise RulesError(f"{type(game).__name__}: board must be a class of boards, not {cls!r}; leave out the ().")
    board: Board = cls()
    if isinstance(board, Board):
        _check_parameters(cls)
    return board


@functools.cache
def _check_parameters(cls: type[Board]) -> None:
    """Raise a RulesError if a method of a Board cannot be called like the one that it replaces."""
    board = cls()
    for name, method in vars(Board).items():
        own = getattr(board, name)
        if name.startswith("_") or not callable(method) or getattr(own, "__func__", None) is method:
            continue
        parameters = list(inspect.signature(method).parameters.values())[1:]
        signature = inspect.signature(own)
        try:
            signature.bind(*parameters)
            signature.bind(*(p for p in parameters if p.default is p.empty))
        except TypeError:
            wanted = ", ".join(p.name if p.default is p.empty else f"{p.name}={p.default}" for p in parameters)
            place = place_of(cls, name)
            where = f" ({place})" if place else ""
            raise RulesError(f"{cls.__name__}.{name} must take (self, {wanted}){where}.") from None


def find_move(text: str, moves: Sequence[int], names: Sequence[str], also: Callable[[int], str] | None = None) -> int:
    """The move named `text`, ignoring extra spaces, and case unless it makes a difference.

    `also` is what a move can be called as well: in words, beside the notation.
    """
    if not isinstance(text, str):
        raise KibitzError(f"A move is parsed from its name, a text, not from {text!r:.60}.")
    wanted = " ".join(text.split())
    found = _called(wanted, moves, names)
    if found is None and also is not None:
        found = _called(wanted, moves, [also(move) for move in moves])
    if found is None:
        raise illegal_move(text.strip(), names)
    return found


def _called(wanted: str, moves: Sequence[int], names: Sequence[str]) -> int | None:
    for spelled in (str, str.lower):  # in chess, bxc3 and Bxc3 are different moves
        for move, name in zip(moves, names, strict=True):
            if spelled(name) == spelled(wanted):
                return move
    return None


def illegal_move(move: object, names: Sequence[str]) -> IllegalMove:
    """The error for a move that is not legal; it lists the legal ones by their names."""
    shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    return IllegalMove(f"{move!r:.60} is not a legal move; legal moves: {shown or 'none'}.")
