"""Flat Monte Carlo: every legal move is tried in playouts to the end of the game; the best average is played.

It keeps no tree, only the total payoff and the number of playouts of each move. With hidden information, each playout
starts from a new determinization, consistent with what the player has seen. The moves take turns, so that the budget
can end anywhere, and in each round all start from the same random numbers, so that luck does not decide between them.
(Abramson, 1990; for hidden information Ginsberg's GIB, 1999.)

Playouts are random, or another bot makes the moves of all players in them: a policy rollout (Tesauro and Galperin,
1996). With `halve`, the worse half of the moves is dropped repeatedly, so that most of the budget goes to the best few
(sequential_halving.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from kibitz.compiler import compiled, native, numbers, records, running_time
from kibitz.errors import SpecError
from kibitz.players.bot import Report
from kibitz.players.limit import Clock, Limit
from kibitz.players.options import BOT, option
from kibitz.rules.contract import Game
from kibitz.rules.rng import next_word
from kibitz.search.monte_carlo import MonteCarloSearch
from kibitz.search.move_averages import ranked
from kibitz.search.playout import no_draws_misfit, play_out_by, policy_misfit, policy_of, urgency_of
from kibitz.search.sequential_halving import stages_of, try_in_stages
from kibitz.table import View


class FlatSample(NamedTuple):
    """The position, its legal moves and the results of their playouts."""

    worlds: Any  # where playouts start, by turns: the position as the player sees it, or determinizations of it
    state: Any  # [the position of the playout]
    legal: Any
    worth: Any
    visits: Any
    luck: Any  # the generator's state from which all moves of this round start
    moves: Any
    chances: Any
    payoff: Any


@compiled
def sample_moves(
    game: Any,
    tally: FlatSample,
    alive: int,
    player: int,
    rng: Any,
    done: int,
    count: int,
    urgent: Any,
    draws: bool,
    policy: Any,
    memory: Any,
) -> int:
    """Run `count` more playouts after the first `done`, one for each of the first `alive` moves in turn."""
    for i in range(done, done + count):
        choice = i % alive
        if choice == 0:
            if rng[0] == tally.luck[0] and rng[1] == tally.luck[1]:  # the last playout drew no random number
                rng[0], rng[1] = next_word(rng), next_word(rng)
            tally.luck[:] = rng[:]
        rng[:] = tally.luck[:]
        tally.state[0] = tally.worlds[i // alive % len(tally.worlds)]
        s = tally.state[0]
        game.redeal(s, player, rng)
        game.play(s, tally.legal[choice])
        play_out_by(game, s, tally.moves, tally.chances, rng, urgent, policy, memory, game.max_plies)
        game.normalized_payoff(s, tally.payoff)
        if draws or tally.payoff[player] == 1.0:
            tally.worth[choice] += tally.payoff[player]
        tally.visits[choice] += 1
    return count


@dataclass
class FlatMonteCarlo(MonteCarloSearch):
    """Flat Monte Carlo: playouts after every move, random or by another bot; the best average wins."""

    name: ClassVar[str] = "mc"

    by: str = option("", names=BOT)  # the compiled player that moves in playouts; by default they are random
    halve: bool = option(False)  # drop the worse half of the moves repeatedly
    urgent: bool = option(False)  # random playouts draw two moves and play the more urgent one
    draws: bool = option(True)  # whether a shared win counts; if not, it is a loss

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.by and self.urgent:
            raise SpecError("mc: urgent=yes is for random playouts only; leave out by= or urgent=.")

    def option_misfit(self, game: Game) -> str | None:
        return policy_misfit(self.by, game) or (None if self.draws else no_draws_misfit(game))

    def search(self, view: View, limit: Limit, ranking: bool) -> Report:
        return self.search_moves(view, view.moves, limit)

    def search_moves(self, view: View, candidates: Sequence[int], limit: Limit, worlds: Any = None) -> Report:
        """Search only the candidates, which are legal moves; `worlds` are determinizations to use, by turns."""
        start = running_time()
        game, count = view.game, len(candidates)
        urgent = urgency_of(game, self.urgent)
        policy, memory = policy_of(self.by, game)
        if worlds is None:
            worlds = records(1, game.dtype)
            worlds[0] = native(view.state)
        tally = FlatSample(
            worlds=worlds,
            state=records(1, game.dtype),
            legal=numbers(count, "i8"),
            worth=numbers(count, "f8"),
            visits=numbers(count, "i8"),
            luck=numbers(2, "u8"),
            moves=numbers(max(game.max_moves, game.max_outcomes), "i8"),
            chances=numbers(max(game.max_outcomes, 1), "f8"),
            payoff=numbers(game.players, "f8"),
        )
        tally.legal[:] = candidates
        clock = Clock(limit)

        def work(alive: int, done: int, n: int) -> int:
            return sample_moves(
                game, tally, alive, view.player, view.rng.words, done, n, urgent, self.draws, policy, memory
            )

        stages = stages_of(count) if self.halve else [count]
        used = try_in_stages(tally, stages, work, limit.simulations, clock)
        return Report(ranked(tally, count), used, "simulations", 1, running_time() - start)
