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

# Plies for which there is space at a time. Every game needs space for the longest one possible: if all games of a large
# batch had it at once, most of the time would go into memory that is touched for the first time.
KEPT_PLIES = 1 << 18


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
        no_plies = np.zeros((0, 0), "i1"), np.zeros((0, 0), "i4")
        self._play_rows = play_rows.bind(*self._fixed, self._sheet(Games.empty(0, game.players), slice(0), *no_plies))  # type: ignore[attr-defined]

    def play(self, number: np.ndarray, group: np.ndarray, bots: np.ndarray, keep_moves: bool) -> Games:
        """Play games, each with the luck of its group."""
        games = Games.empty(len(number), self.game.players)
        games.game[:], games.group[:], games.bots[:] = number, group, bots
        if keep_moves:
            games.turns, games.moves = [], []
        started = running_time()
        block = max(KEPT_PLIES // self.game.max_plies, 1) if keep_moves else len(number)
        turns, moves = (np.zeros((block, self.game.max_plies if keep_moves else 0), kind) for kind in ("i1", "i4"))
        for first in range(0, len(number), max(block, 1)):
            rows = slice(first, first + block)
            sheet = self._sheet(games, rows, turns, moves)
            self._play_rows(*self._fixed, sheet)
            if keep_moves:
                games.turns += [turns[i, :plies].copy() for i, plies in enumerate(sheet.plies)]
                games.moves += [moves[i, :plies].copy() for i, plies in enumerate(sheet.plies)]
        # The average time per decision: reading a clock in the loop would cost more than the move.
        games.seconds[:] = games.choices * ((running_time() - started) / max(int(games.choices.sum()), 1))
        for row in np.flatnonzero(games.fault_seat == ENDLESS):
            raise endless(self.game, self._seed, int(games.game[row]), self._secret)
        for row in np.flatnonzero(games.fault_seat >= 0):
            culprit = self._specs[games.bots[row, games.fault_seat[row]]]
            forfeit(self.game, games, int(row), Outcome.ILLEGAL, f"{culprit} played an illegal move.")
        return games

    def _sheet(self, games: Games, rows: slice, turns: np.ndarray, moves: np.ndarray) -> Sheet:
        """The sheet of some of the games, with space for their plies."""
        return Sheet(
            number=games.game[rows],
            luck=games.group[rows],
            bots=np.take(self._places, games.bots[rows]),
            payoff=games.payoff[rows],
            score=games.score[rows],
            choices=games.choices[rows],
            fault_seat=games.fault_seat[rows],
            plies=np.zeros(len(games.game[rows]), "i4"),
            turns=turns,
            moves=moves,
        )

    def close(self) -> None:
        """Do nothing: compiled players have no processes."""
