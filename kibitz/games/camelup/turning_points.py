"""The end of a leg or the race in Camel Up: what everyone is paid, and for what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from kibitz.display.board import Board
from kibitz.display.turning_point import TurningPoint
from kibitz.display.wording import capital, with_sign
from kibitz.games.camelup.payments import Coins, leg_tile_pays, race_card_pays, roll_pays, settled
from kibitz.games.camelup.rolls import is_roll, moved_camels
from kibitz.games.camelup.rules import LEG_PAY, SECOND_PAY
from kibitz.games.camelup.scene import camel_words
from kibitz.rules.contract import OVER
from kibitz.state import State


def leg_end(board: Board, game: Any, began: State, before: State, outcome: int, after: State) -> TurningPoint | None:
    """What a leg pays each player, and at the end of the race what that pays."""
    if not is_roll(before) or (after.leg == before.leg and after.turn != OVER):
        return None
    moved = moved_camels(game, before, outcome)
    first = game.leader(moved)
    second = game.leader_without(moved, first)
    tiles, rolls = leg_tile_pays(game, before, first, second), roll_pays(game, before)
    earned = _earned(game, began, moved)
    columns = {"Desert tiles": [with_sign(f"{coins:+d}") for coins in earned]}
    if not game.is_camelai:
        columns["Dice"] = [with_sign(f"{coins:+d}") for coins in rolls]
    else:
        columns = {"Dice and desert tiles": columns["Desert tiles"]}
    columns["Leg tiles"] = [_sum(pays) for pays in tiles]
    words = [
        f"{capital(camel_words(game, first))} leads, {camel_words(game, second)} is second.",
        f"Leg tiles of the leader pay {_pays(LEG_PAY.tolist()[: game.leg_tiles])}, of the second {SECOND_PAY}; "
        "all others cost 1.",
    ]
    if after.turn == OVER:
        columns["Race cards"] = [_sum(pays) for pays in race_card_pays(game, after)]
        last = camel_words(game, game.last(after))
        words[0] = f"{capital(camel_words(game, first))} wins, {camel_words(game, second)} is second, {last} is last."
        words.append(f"Right race cards pay {_pays(game.race_pay(place) for place in range(5))} …; wrong ones cost 1.")
    coins = after.coins.tolist()[: game.players]
    if not game.is_camelai and _is_forgiven(game, moved, tiles, rolls):
        words.append("Nobody falls below 0 coins.")
    columns["Coins"] = [str(have) for have in coins]
    return TurningPoint(
        "The race is over" if after.turn == OVER else f"Leg {before.leg} is over",
        tuple(words),
        tuple(columns),
        tuple(zip(*columns.values(), strict=True)),
        tuple(player for player in range(game.players) if coins[player] == max(coins)),
    )


def _earned(game: Any, began: State, moved: State) -> list[int]:
    """The coins that were paid during the leg."""
    return [moved.coins[player] - began.coins[player] for player in range(game.players)]


def _is_forgiven(game: Any, moved: State, tiles: list[Coins], rolls: Coins) -> bool:
    """Whether somebody owes more than they have."""
    dues = [sum(pays) + roll for pays, roll in zip(tiles, rolls, strict=True)]
    coins = moved.coins.tolist()[: game.players]
    return settled(game, coins, dues) != [have + due for have, due in zip(coins, dues, strict=True)]


def _pays(coins: Iterable[int]) -> str:
    return ", ".join(map(str, coins))


def _sum(pays: Coins) -> str:
    """What several tiles or cards pay: "+5 −1×3"."""
    counts = sorted(Counter(pays).items(), reverse=True)
    return " ".join(with_sign(f"{pay:+d}") + (f"×{count}" if count > 1 else "") for pay, count in counts) or "–"
