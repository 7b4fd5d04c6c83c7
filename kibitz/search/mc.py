"""Flat Monte Carlo: every legal move is tried in playouts to the end of the game; the best average is played.

It keeps no tree: only the sum of the payoffs and the number of playouts of each move. Where information is hidden, each
playout first deals the hidden part anew, consistently with what the player has seen. The moves take turns, so that the
budget can end anywhere, and those of a round begin with the same luck, so that luck does not decide between them.
(Abramson, 1990; for hidden information Ginsberg's GIB, 1999.)

Playouts are random, or another bot makes the moves of all players in them: a policy rollout (Tesauro and Galperin,
1996). With `halve`, the worse half of the moves is dropped again and again, so that most of the budget goes to the
best few (halving.py).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kibitz.bots import Report, Searcher, bot
from kibitz.compiled import compiled, native, numbers, records
from kibitz.errors import SpecError
from kibitz.game import CHANCE, OVER, Game
from kibitz.player import CompiledPlayer
from kibitz.rng import next_word
from kibitz.search.budget import allowance
from kibitz.search.halving import stages_of, try_in_stages
from kibitz.search.playout import playout, urgency_of
from kibitz.search.sums import ranked
from kibitz.table import View


class Tally(NamedTuple):
    """The position, its legal moves and what their playouts came to."""

    states: Any  # [the position as the player sees it, the position of the playout]
    legal: Any
    worth: Any
    visits: Any
    luck: Any  # with which the moves of this round begin
    moves: Any
    chances: Any
    payoff: Any


@compiled
def sample_moves(
    game: Any,
    tally: Tally,
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
    """Run `count` more playouts after the first `done`, by turns for the first `alive` moves."""
    for i in range(done, done + count):
        choice = i % alive
        if choice == 0:
            if rng[0] == tally.luck[0] and rng[1] == tally.luck[1]:  # the last move left nothing to luck
                rng[0], rng[1] = next_word(rng), next_word(rng)
            tally.luck[:] = rng[:]
        rng[:] = tally.luck[:]
        tally.states[1] = tally.states[0]
        s = tally.states[1]
        game.redeal(s, player, rng)
        game.play(s, tally.legal[choice])
        play_out_by(game, s, tally.moves, tally.chances, rng, urgent, policy, memory)
        game.payoff(s, tally.payoff)
        if draws or tally.payoff[player] == 1.0:
            tally.worth[choice] += tally.payoff[player]
        tally.visits[choice] += 1
    return count


@compiled
def play_out_by(game: Any, s: Any, moves: Any, p: Any, rng: Any, urgent: Any, policy: Any, memory: Any) -> None:
    """Play s to its end: at random if the policy is None, else with the moves of that player, whoever is to move."""
    if policy is None:
        playout(game, s, moves, p, rng, urgent, game.max_plies)
    else:
        plies = 0
        while s.turn != OVER and plies < game.max_plies:
            if s.turn == CHANCE:
                game.play(s, game.draw(s, moves, p, rng))
            else:
                game.play(s, policy.pick(game, s, moves, game.moves(s, moves), s.turn, memory, rng))
            plies += 1


def policy_of(spec: str, game: Game) -> tuple[CompiledPlayer | None, Any]:
    """The player of playouts and its memory; None for random ones."""
    if not spec:
        return None, None
    player: CompiledPlayer = bot(spec, game)
    return player, player.memory(game)


def policy_refusal(spec: str, game: Game) -> str | None:
    """Why a bot cannot play playouts, if so."""
    if spec and not isinstance(bot(spec, game), CompiledPlayer):
        return f"by={spec} is no compiled player; see kibitz bots."
    return None


@dataclass
class FlatMonteCarlo(Searcher):
    """Flat Monte Carlo: playouts after every move, random or by another bot; the best average wins."""

    sims: int = 0  # playouts a move, all moves together; 1000 when neither sims nor ms is given
    ms: int = 0  # milliseconds a move
    by: str = ""  # the compiled player that makes the moves of the playouts; none: they are random
    halve: bool = False  # drop the worse half of the moves, again and again
    urgent: bool = False  # random playouts draw two moves and play the one that the game calls more urgent
    draws: bool = True  # whether a shared win counts; no: as a loss

    def __post_init__(self) -> None:
        if min(self.sims, self.ms) < 0:
            raise SpecError("mc needs sims and ms of at least 0.")
        if self.by and self.urgent:
            raise SpecError("mc takes urgent=yes for random playouts only; leave out by= or urgent=.")

    def unfit(self, game: Game) -> str | None:
        return policy_refusal(self.by, game)

    def analyse(self, view: View) -> Report:
        return self.analyse_moves(view, view.moves)

    def analyse_moves(self, view: View, candidates: Sequence[int]) -> Report:
        """Try some of the legal moves only."""
        start = time.perf_counter()
        game, count = view.game, len(candidates)
        urgent = urgency_of(game, self.urgent)
        policy, memory = policy_of(self.by, game)
        tally = Tally(
            states=records(2, game.dtype),
            legal=numbers(count, "i8"),
            worth=numbers(count, "f8"),
            visits=numbers(count, "i8"),
            luck=numbers(2, "u8"),
            moves=numbers(max(game.max_moves, game.max_outcomes), "i8"),
            chances=numbers(max(game.max_outcomes, 1), "f8"),
            payoff=numbers(game.players, "f8"),
        )
        tally.states[0] = native(view.state)
        tally.legal[:] = candidates
        sims, ms = allowance(self.sims, self.ms, view.time, usual=1000)

        def work(alive: int, done: int, n: int) -> int:
            return sample_moves(
                game, tally, alive, view.player, view.rng.words, done, n, urgent, self.draws, policy, memory
            )

        stages = stages_of(count) if self.halve else [count]
        used = try_in_stages(tally, stages, work, sims, ms, start)
        return Report(ranked(tally, count), used, "simulations", 1, time.perf_counter() - start)
