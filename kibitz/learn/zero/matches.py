"""The matches of a training run: for the place of the best network, and against a fixed opponent.

In a run of so many minutes they must not take the time to learn: where games are long, a match has fewer of them. The
first match of a kind tells how long a game takes, and if that is short, it is played again in full.
"""

from __future__ import annotations

from pathlib import Path

from kibitz.compiler import running_time
from kibitz.rules.contract import Game
from kibitz.tournament.schedule import GAUNTLET
from kibitz.tournament.statistics import Share
from kibitz.tournament.tournament import arena

GATES = 8  # pairs of matches in a run
MOST_GAMES, FEWEST_GAMES = 60, 12  # of a match
SHARE_OF_RUN = 0.2  # what all matches together may take, unless that leaves too few games
GATE_SIMULATIONS, STRENGTH_SIMULATIONS = 32, 64


def fixed_opponent(game: Game) -> str:
    """The bot that strength is measured against."""
    return "ismcts:sims=300" if game.has_hidden_information else "uct:sims=300"


class Matches:
    """Plays the matches of a run; `seconds` is how long the run takes, None if that does not matter."""

    def __init__(self, game: Game, opening: int, seconds: float | None) -> None:
        self.game, self.opening, self.opponent = game, opening, fixed_opponent(game)
        self.seconds = None if seconds is None else seconds * SHARE_OF_RUN / GATES / 2
        self.seconds_per_game: dict[int, float] = {}  # by simulations, which differ from one kind of match to the other

    def for_the_best(self, latest: Path, best: Path, seed: str) -> tuple[Share, Share]:
        """The shares of the latest network and of the best one so far."""
        return self._play(latest, GATE_SIMULATIONS, f"zero:net={best},sims={GATE_SIMULATIONS}", seed)

    def strength(self, latest: Path, seed: str) -> Share:
        """The share of the latest network against the fixed opponent."""
        return self._play(latest, STRENGTH_SIMULATIONS, self.opponent, seed)[0]

    def _play(self, latest: Path, simulations: int, opponent: str, seed: str) -> tuple[Share, Share]:
        """The shares of the latest network and of another bot, which takes all other seats."""
        games = self._games(simulations)
        began = running_time()
        bots = [f"zero:net={latest},sims={simulations}", opponent]
        result = arena(self.game, bots, games=games, seed=seed, format=GAUNTLET, opening=self.opening, workers=1)
        if result.interrupted:
            raise KeyboardInterrupt
        self.seconds_per_game[simulations] = (running_time() - began) / games
        if self._games(simulations) == MOST_GAMES > games:
            return self._play(latest, simulations, opponent, seed)
        shares = {standing.bot: standing.share for standing in result.ranking}
        return shares[bots[0]], shares[bots[1]]

    def _games(self, simulations: int) -> int:
        """How many games there is time for: a multiple of the fewest."""
        if self.seconds is None:
            return MOST_GAMES
        if simulations not in self.seconds_per_game:
            return FEWEST_GAMES
        allowed = self.seconds / max(self.seconds_per_game[simulations], 1e-9)
        return int(min(max(allowed // FEWEST_GAMES, 1), MOST_GAMES // FEWEST_GAMES)) * FEWEST_GAMES
