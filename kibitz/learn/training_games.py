"""Training games, one after another: played in compiled code, and the same as at a Table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from kibitz.compiler import compiled, numbers
from kibitz.errors import KibitzError
from kibitz.players.compiled_player import CompiledPlayer
from kibitz.players.roster import bot
from kibitz.rules.contract import Game
from kibitz.rules.engine import endless
from kibitz.rules.registry import spec_of
from kibitz.table.compiled_games import ENDLESS, Desk, Sheet, new_desk, play_rows

SELF = "self"  # as an opponent: the learner itself, or a second one


class TrainingGames(NamedTuple):
    """The players and the workspace of a series of two-player games."""

    line_up: Any  # two players, each with its memory
    desk: Desk
    sheet: Sheet  # of one row: the game being played


@compiled
def play_next(game: Any, games: TrainingGames) -> None:
    """Play the next game of a series. The players alternate in moving first."""
    sheet = games.sheet
    number = sheet.number[0]
    sheet.luck[0] = number
    sheet.bots[0, 0] = number % 2
    sheet.bots[0, 1] = 1 - number % 2
    play_rows(game, games.line_up, games.desk, sheet)
    sheet.number[0] = number + 1


@compiled
def share_of(game: Any, games: TrainingGames, player: int) -> float:
    """A player's share of the win, or normalized utility, in the game just played."""
    sheet = games.sheet
    return game.normalized(sheet.payoff[0, 0] if sheet.bots[0, 0] == player else sheet.payoff[0, 1])


def new_training_games(
    game: Game, line_up: Sequence[tuple[CompiledPlayer, Any]], seed: int, keep_moves: bool
) -> TrainingGames:
    """A new series; with `keep_moves`, its sheet holds the moves of the game just played."""
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
    return TrainingGames(tuple(line_up), new_desk(game, seed), sheet)


def check_ended(game: Game, games: TrainingGames, seed: int) -> None:
    """Raise an error if a game did not end."""
    if games.sheet.fault_seat[0] == ENDLESS:
        raise endless(game, seed, int(games.sheet.number[0]) - 1)


def compiled_player(spec: str, game: Game) -> tuple[CompiledPlayer, Any]:
    """The bot of a spec and its memory, to play in compiled code."""
    player = bot(spec, game)
    if not isinstance(player, CompiledPlayer):
        raise KibitzError(
            f"{spec} is not a compiled player, and training takes thousands of games; "
            f"try self, or one of the quick bots listed by `kibitz bots {spec_of(game)}`: random, greedy, learned …"
        )
    return player, player.memory(game)
