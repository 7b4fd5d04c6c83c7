"""Whole games between compiled players, without Python between moves; the loop is in table/compiled_games.py."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kibitz.compiler import running_time
from kibitz.players.roster import Entrant
from kibitz.records.games import Games, Outcome, forfeit
from kibitz.rules.contract import Game
from kibitz.rules.engine import endless
from kibitz.table.compiled_games import ENDLESS, Sheet, new_desk, play_rows


class CompiledMatch:
    """A line-up of compiled players with all the memory their games need. Not thread-safe."""

    def __init__(
        self,
        game: Game,
        entrants: Sequence[Entrant],
        seed: int | str,
        opening_moves: int = 0,
        secret: str | None = None,
    ) -> None:
        self.game = game
        self._seed, self._secret = seed, secret
        self._specs = [entrant.spec for entrant in entrants]
        # Each player once, in a fixed order regardless of seats, so that fewer line-ups have to be compiled.
        different = {entrant.spec: entrant for entrant in sorted(entrants, key=lambda entrant: entrant.spec)}
        self._places = np.array([list(different).index(spec) for spec in self._specs], "i2")
        players = [entrant.make() for entrant in different.values()]
        line_up = tuple((player, player.memory(game)) for player in players)
        desk = new_desk(game, seed, opening_moves, secret)
        self._fixed = game, line_up, desk
        self._play_rows = play_rows.bind(*self._fixed, self._sheet(Games.empty(0, game.players), False))  # type: ignore[attr-defined]

    def play(self, number: np.ndarray, group: np.ndarray, bots: np.ndarray, keep_moves: bool) -> Games:
        """Play games, each with the luck of its group."""
        games = Games.empty(len(number), self.game.players)
        games.game[:], games.group[:], games.bots[:] = number, group, bots
        sheet = self._sheet(games, keep_moves)
        started = running_time()
        self._play_rows(*self._fixed, sheet)
        # The average time per decision: reading a clock in the loop would cost more than the move.
        games.seconds[:] = games.choices * ((running_time() - started) / max(int(games.choices.sum()), 1))
        if keep_moves:
            games.turns = [sheet.turns[i, : sheet.plies[i]] for i in range(len(number))]
            games.moves = [sheet.moves[i, : sheet.plies[i]] for i in range(len(number))]
        for row in np.flatnonzero(games.fault_seat == ENDLESS):
            raise endless(self.game, self._seed, int(games.game[row]), self._secret)
        for row in np.flatnonzero(games.fault_seat >= 0):
            culprit = self._specs[games.bots[row, games.fault_seat[row]]]
            forfeit(self.game, games, int(row), Outcome.ILLEGAL, f"{culprit} played an illegal move.")
        return games

    def _sheet(self, games: Games, keep_moves: bool) -> Sheet:
        shape = len(games), self.game.max_plies if keep_moves else 0
        return Sheet(
            number=games.game,
            luck=games.group,
            bots=np.take(self._places, games.bots),
            payoff=games.payoff,
            score=games.score,
            choices=games.choices,
            fault_seat=games.fault_seat,
            plies=np.zeros(len(games), "i4"),
            turns=np.zeros(shape, "i1"),
            moves=np.zeros(shape, "i4"),
        )

    def close(self) -> None:
        """Do nothing: compiled players have no processes."""
