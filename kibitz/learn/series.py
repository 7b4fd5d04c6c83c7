"""The games that are learned from, one after the other: in compiled code, and the same as at a Table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from kibitz.arena.compiled_match import ENDLESS, Desk, Sheet, new_desk, play_rows
from kibitz.bots import bot
from kibitz.compiled import compiled, numbers
from kibitz.errors import KibitzError, RulesError
from kibitz.game import Game
from kibitz.games import spec_of
from kibitz.player import CompiledPlayer

SELF = "self"  # as an opponent: the learner's own kind


class Series(NamedTuple):
    """What a series of games for two is played with."""

    line_up: Any  # two players, each with its memory
    desk: Desk
    sheet: Sheet  # of one row: the game being played


@compiled
def play_next(game: Any, series: Series) -> None:
    """Play the next game of a series. Who begins alternates."""
    sheet = series.sheet
    number = sheet.number[0]
    sheet.luck[0] = number
    sheet.bots[0, 0] = number % 2
    sheet.bots[0, 1] = 1 - number % 2
    play_rows(game, series.line_up, series.desk, sheet)
    sheet.number[0] = number + 1


@compiled
def share_of(series: Series, player: int) -> float:
    """What a player of the line-up won in the game just played."""
    sheet = series.sheet
    return sheet.payoff[0, 0] if sheet.bots[0, 0] == player else sheet.payoff[0, 1]


def new_series(game: Game, line_up: Sequence[tuple[CompiledPlayer, Any]], seed: int, keep_moves: bool) -> Series:
    """A series about to begin; the moves of the game just played are kept on its sheet."""
    longest = game.max_plies if keep_moves else 0
    sheet = Sheet(
        number=numbers(1, "i8"),
        luck=numbers(1, "i8"),
        bots=numbers((1, 2), "i2"),
        payoff=numbers((1, 2), "f8"),
        score=numbers((1, 2), "f8"),
        choices=numbers((1, 2), "i8"),
        fault_seat=numbers(1, "i1"),
        plies=numbers(1, "i4"),
        turns=numbers((1, longest), "i1"),
        moves=numbers((1, longest), "i4"),
    )
    return Series(tuple(line_up), new_desk(game, seed), sheet)


def check_ended(game: Game, series: Series) -> None:
    """Refuse rules by which a game did not end."""
    if series.sheet.fault_seat[0] == ENDLESS:
        raise RulesError(f"{type(game).__name__} did not end within max_plies = {game.max_plies}.")


def compiled_player(spec: str, game: Game) -> tuple[CompiledPlayer, Any]:
    """The bot of a spec, to play in compiled code."""
    player = bot(spec, game)
    if not isinstance(player, CompiledPlayer):
        raise KibitzError(
            f"{spec} does not play in compiled code, and training takes thousands of games; "
            f"try self, or one of the quick bots that `kibitz bots {spec_of(game)}` lists: random, greedy, learned …"
        )
    return player, player.memory(game)
