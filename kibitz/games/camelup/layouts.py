"""Camel Up's own layout of exported logs: that of CamelAI, the simulator whose logs others have analysed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kibitz.errors import KibitzError
from kibitz.games.camelup.rules import ROLL
from kibitz.games.camelup.track import FACES
from kibitz.records.export import Layout
from kibitz.rules.contract import CHANCE
from kibitz.state import State
from kibitz.table import Record
from kibitz.table.replay import steps

PILES = "win", "lose"


class Camelai(Layout):
    """One row for the start and one per turn; a roll and its outcome share a row."""

    def columns(self, game: Any, merged: bool) -> Sequence[str]:
        if game.is_second:
            raise KibitzError(
                "The layout camelai has no columns for crazy camels; use it with rules=official or rules=camelai."
            )
        camels = [f"camel_c_{camel}_{what}" for camel in range(game.camels) for what in ("location", "stack_location")]
        held = ("coins", "trap_location", "trap_type")
        players = [f"player_{player}_{what}" for player in range(game.players) for what in held]
        first = ("game_id", "round_id") if merged else ("round_id",)
        action = ("active_player", "action_type", "bet_type", "camel")
        return (*first, *action, *camels, "distance", *players, "trap_location", "trap_type")

    def rows(self, number: int, record: Record, game: Any, merged: bool) -> Iterator[Sequence[Any]]:
        columns = self.columns(game, merged)
        action: dict[str, Any] = {}
        before: list[int] = []  # the squares of the camels
        turns = 0
        for table, _ in steps(record, game):
            turn, move = table.history[-1]
            s = table.state
            if turn != CHANCE:
                action = {"active_player": turn, **action_of(game, move)}
            elif before:
                camel = move // FACES
                action |= {"camel": f"c_{camel}", "distance": s.square[camel] - before[camel]}
            if s.turn == CHANCE:
                continue  # the camels are lining up, or a die is about to be rolled
            row = {"game_id": number, "round_id": turns, **action, **position_of(game, s)}
            yield [row.get(column) for column in columns]
            before = [s.square[camel] for camel in range(game.camels)]
            turns += 1

    def file(self, number: int, digits: int) -> str:
        return f"game_{number}.csv"


def action_of(game: Any, move: int) -> dict[str, Any]:
    """A player's action, by column."""
    if move == ROLL:
        return {"action_type": "move_camel"}
    if move < game.first_leg_bet:
        is_oasis = move < game.first_mirage
        square = move if is_oasis else move - game.first_mirage + 1
        return {"action_type": "move_trap", "trap_location": square, "trap_type": 1 if is_oasis else -1}
    if move < game.first_race_bet:
        return {"action_type": "round_winner_bet", "camel": f"c_{move - game.first_leg_bet}"}
    pile, camel = divmod(move - game.first_race_bet, game.camels)
    return {"action_type": "game_bet", "bet_type": PILES[pile], "camel": f"c_{camel}"}


def position_of(game: Any, s: State) -> dict[str, Any]:
    """The camels, coins and desert tiles, by column."""
    cells: dict[str, Any] = {}
    for camel in range(game.camels):
        cells[f"camel_c_{camel}_location"] = s.square[camel]
        cells[f"camel_c_{camel}_stack_location"] = s.height[camel]
    for player in range(game.players):
        cells[f"player_{player}_coins"] = s.coins[player]
        if tile := s.tile[player]:
            cells[f"player_{player}_trap_location"] = abs(tile)
            cells[f"player_{player}_trap_type"] = 1 if tile > 0 else -1
    return cells


LAYOUTS = {"camelai": Camelai()}
