"""Checks of every position of a game, and of every move and chance event."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from kibitz.compiler import is_plain
from kibitz.rules.contract import CHANCE
from kibitz.rules.engine import RAISE_MAX_PLIES
from kibitz.rules.rng import Stream
from kibitz.state import State
from kibitz.testing.chi_square import is_improbable
from kibitz.testing.presentation import check_presentation, check_text
from kibitz.testing.rules import TOLERANCE, WatchedRules

SAMPLED_POSITIONS = 20  # where `sample` is compared with `chances` …
DRAWS = 2000  # … by this many draws each


@dataclass(frozen=True)
class Finding:
    """Something suspicious that breaks no promise: the method to look at, and a sentence on what was seen."""

    method: str
    sentence: str


@dataclass
class Checked:
    """Statistics of a check that found no broken promise, and what it found suspicious."""

    game: str
    games: int = 0
    plies: int = 0
    longest: int = 0  # plies of the longest game
    choices: int = 0  # positions with a player to act
    moves: int = 0  # legal moves in them
    most_moves: int = 0
    chances: int = 0  # chance events
    most_outcomes: int = 0
    views: int = 0  # redacted, redealt and compared with a twin
    solved: int = 0  # positions whose value was compared with that of others with the same key
    symmetries: int = 0  # that the game declares, the identity aside
    compared: int = 0  # calls with the same result compiled and plain
    findings: list[Finding] = field(default_factory=list)

    @property
    def branching(self) -> float:
        """Legal moves per choice, on average."""
        return self.moves / self.choices if self.choices else 0.0


def play_one(
    rules: WatchedRules, state: State, checked: Checked, stream: Stream, options: Sequence[tuple[int, float]] = ()
) -> int:
    """Make a random move, or let chance act; return the move. `options` are rules.options(state), if known."""
    if len(rules.path) >= rules.game.max_plies:
        rule = f"the game is not over after max_plies = {rules.game.max_plies} plies; {RAISE_MAX_PLIES}."
        raise rules.broken("play", rule, state)
    if state.turn == CHANCE and rules.game.chance_first and rules.moved:
        raise rules.broken("play", "chance acts after a player has moved, but chance_first is True.", state)
    options = options or rules.options(state)
    if state.turn == CHANCE:
        checked.chances += 1
        checked.most_outcomes = max(checked.most_outcomes, len(options))
        if checked.chances <= SAMPLED_POSITIONS and rules.defines("sample"):
            _check_sample(rules, state, options, stream)
    else:
        checked.choices += 1
        checked.moves += len(options)
        checked.most_moves = max(checked.most_moves, len(options))
    move = pick_one(state, options, stream)
    rules.play(state, move)
    return move


def pick_one(state: State, options: Sequence[tuple[int, float]], stream: Stream) -> int:
    """A random legal move, or a chance outcome drawn by its probability."""
    if state.turn == CHANCE:
        return stream.choices([o for o, _ in options], [p for _, p in options])[0]
    return stream.choice(options)[0]


def check_position(rules: WatchedRules, state: State) -> list[tuple[int, float]]:
    """Check a position in which the game goes on; return its moves or outcomes (see WatchedRules.options)."""
    game = rules.game
    options = rules.options(state)
    if rules.has_scratch:
        twin = state.without_scratch()
        if rules.options(twin) != options:
            method = "chances" if state.turn == CHANCE else "moves"
            raise rules.broken(method, "depends on scratch fields.", state)
        if rules.defines("key") and rules.key(state) != rules.key(twin):
            raise rules.broken("key", "differs for equal positions: it depends on scratch fields.", state)
    elif rules.defines("key"):
        rules.key(state)
    # Evaluations often call score, which is compiled once if Python has called it first.
    if rules.defines("score"):
        rules.shares("score", state, -math.inf, math.inf)
    if rules.defines("evaluate"):
        rules.shares("evaluate", state)
    if rules.defines("urgency") and state.turn != CHANCE:
        rules.urgency(state, options[len(rules.path) % len(options)][0])
    if rules.defines("noisy_moves") and state.turn != CHANCE:
        rules.noisy_moves(state, [option for option, _ in options])
    if rules.defines("reply") and state.turn != CHANCE:
        for player in range(game.players):
            if player != state.turn:
                _check_reply(rules, state, player)
    if is_plain():  # texts are never compiled
        read = State.from_text(state.to_text(), game.dtype)
        if read != state:
            raise rules.broken("fields", f"the position reads back from its text as {read.to_text()}.", state)
        check_presentation(rules, state, [option for option, _ in options])
    return options


def check_end(rules: WatchedRules, state: State) -> list[float]:
    """Check the end of a game; return the payoff."""
    game = rules.game
    payoff = rules.payoff(state)
    if game.is_constant_sum and abs(sum(payoff) - game.utility_sum) > TOLERANCE * (game.max_utility - game.min_utility):
        rule = f"sum to utility_sum = {game.utility_sum:g}" if game.has_utilities else "sum to 1"
        what = "utilities" if game.has_utilities else "shares"
        raise rules.broken("payoff", f"the {what} {payoff} do not {rule}.", state)
    if rules.defines("score"):
        rules.shares("score", state, -math.inf, math.inf)
    if is_plain():
        check_text(rules, state)
    return payoff


def _check_reply(rules: WatchedRules, state: State, player: int) -> None:
    handed = state.without_scratch()
    done = rules.call("reply", handed, player)
    if not isinstance(done, bool | int):
        raise rules.broken("reply", f"must return True or False, not {done!r}.", state)
    if not done and handed != state:
        raise rules.broken("reply", f"changes the state to {handed.to_text()}, though it returns False.", state)
    if done:
        if handed.turn != player:
            raise rules.broken("reply", f"gives the turn to {handed.turn}, not to player {player}.", state)
        rules.moves(handed)


def _check_sample(rules: WatchedRules, state: State, outcomes: Sequence[tuple[int, float]], stream: Stream) -> None:
    """Compare draws with the probabilities."""
    drawn = Counter(rules.calls_of("sample", state, stream.words, times=DRAWS))
    if unknown := set(drawn) - {outcome for outcome, _ in outcomes}:
        raise rules.broken("sample", f"draws {min(unknown)}, which `chances` does not list.", state)
    if is_improbable([p * DRAWS for _, p in outcomes], [drawn[outcome] for outcome, _ in outcomes]):
        shares = {outcome: drawn[outcome] / DRAWS for outcome, _ in outcomes}
        raise rules.broken("sample", f"draws {shares}, but `chances` says {dict(outcomes)}.", state)
