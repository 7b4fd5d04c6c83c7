"""Finished games of a tournament as columns, one row per game: the basis of everything counted, logged and reported."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from kibitz.rules.contract import Game


class Outcome(enum.IntEnum):
    """How a game ended. All but the first are faults of the bot at `fault_seat`, which loses the game."""

    BOARD = 0  # by the rules
    ILLEGAL = 1
    EXCEPTION = 2
    TIMEOUT = 3
    CRASH = 4  # of the bot's process

    @property
    def words(self) -> str:
        return ("won on the board", "illegal move", "exception", "timeout", "crash")[self]


@dataclass(repr=False)
class Games:
    """A batch of finished games in the order of their numbers.

    Examples:
        >>> import kibitz
        >>> from kibitz.records.games import Games
        >>> from kibitz.records.log import Log
        >>> result = kibitz.arena("connect_four", ["greedy", "random"], games=20, seed=1, log="runs/example")
        >>> games = Log("runs/example").games()
        >>> games, games.payoff.mean(axis=0).round(2).tolist()
        (<Games: 20 games>, [0.55, 0.45])
        >>> quick = games.rows(games.choices.sum(axis=1) < 10)
        >>> len(Games.joined([quick, Games.empty(2, players=2)])) - len(quick)
        2
    """

    game: np.ndarray  # i8: the game's number in the tournament
    group: np.ndarray  # i8: the rotations of a line-up form a group and share their luck
    bots: np.ndarray  # i2 [games, players]: which bot sat in each seat
    payoff: np.ndarray  # f8 [games, players]: shares of the win, or utilities as the rules wrote them
    score: np.ndarray  # f8 [games, players]; NaN after a fault
    outcome: np.ndarray  # i1: an Outcome
    fault_seat: np.ndarray  # i1: −1 if there was no fault
    fault: list[str]  # the message of the fault; "" if there was none
    choices: np.ndarray  # i4 [games, players]: decisions by seat
    seconds: np.ndarray  # f8 [games, players]: thinking time by seat
    turns: list[np.ndarray]  # i1: who acted at each ply (−1: chance); empty if moves are not kept
    moves: list[np.ndarray]  # i4: the move or outcome at each ply

    def __len__(self) -> int:
        return len(self.game)

    def __repr__(self) -> str:
        return f"<Games: {len(self)} games>"

    @classmethod
    def empty(cls, count: int, players: int) -> Games:
        """Rows to be filled in; initially, every game counts as won on the board."""
        return cls(
            game=np.zeros(count, "i8"),
            group=np.zeros(count, "i8"),
            bots=np.zeros((count, players), "i2"),
            payoff=np.zeros((count, players)),
            score=np.zeros((count, players)),
            outcome=np.zeros(count, "i1"),
            fault_seat=np.full(count, -1, "i1"),
            fault=[""] * count,
            choices=np.zeros((count, players), "i4"),
            seconds=np.zeros((count, players)),
            turns=[np.zeros(0, "i1")] * count,
            moves=[np.zeros(0, "i4")] * count,
        )

    def rows(self, chosen: np.ndarray | slice) -> Games:
        """Select games by a slice, which shares its memory with the whole, a mask, or row numbers in any order."""
        columns: dict[str, Any] = {column.name: getattr(self, column.name) for column in fields(self)}
        if isinstance(chosen, slice):
            return Games(**{name: values[chosen] for name, values in columns.items()})
        numbers = np.arange(len(self))[chosen]
        for name, values in columns.items():
            columns[name] = [values[i] for i in numbers] if isinstance(values, list) else values[numbers]
        return Games(**columns)

    @classmethod
    def joined(cls, batches: Sequence[Games]) -> Games:
        """Concatenate batches, in the order of the games' numbers."""
        if len(batches) == 1:
            return batches[0]
        columns: dict[str, Any] = {}
        for column in fields(cls):
            parts = [getattr(batch, column.name) for batch in batches]
            lists = isinstance(parts[0], list)
            columns[column.name] = [row for part in parts for row in part] if lists else np.concatenate(parts)
        together = cls(**columns)
        if (np.diff(together.game) >= 0).all():
            return together
        return together.rows(np.argsort(together.game, kind="stable"))


def forfeit(game: Game, games: Games, row: int, outcome: Outcome, words: str) -> None:
    """Score a game as lost by the seat at fault; the others share the win, or the rest of the utilities."""
    games.outcome[row], games.fault[row] = outcome, words
    games.payoff[row] = game.forfeit_by(games.fault_seat[row])
    games.score[row] = np.nan
