"""Checks of every position of a game, and of every move and chance event."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.errors import MarkupError
from rich.text import Text

from kibitz.compiler import is_plain
from kibitz.display.board import find_move
from kibitz.errors import IllegalMove
from kibitz.rules.contract import CHANCE
from kibitz.rules.engine import RAISE_MAX_PLIES
from kibitz.rules.rng import Stream
from kibitz.state import State
from kibitz.testing.rules import TOLERANCE, WatchedRules

SAMPLED_POSITIONS = 20  # where `sample` is compared with `chances` …
DRAWS = 2000  # … by this many draws each
FALSE_ALARM = 6.5  # in standard deviations: less than one in ten billion


@dataclass
class Checked:
    """Statistics of a check that found nothing wrong."""

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
    compared: int = 0  # calls with the same result compiled and plain

    @property
    def branching(self) -> float:
        """Legal moves per choice, on average."""
        return self.moves / self.choices if self.choices else 0.0


def play_one(rules: WatchedRules, state: State, checked: Checked, stream: Stream) -> None:
    """Make a random move, or let chance act."""
    if len(rules.path) >= rules.game.max_plies:
        rule = f"the game is not over after max_plies = {rules.game.max_plies} plies; {RAISE_MAX_PLIES}."
        raise rules.broken("play", rule, state)
    if state.turn == CHANCE:
        if rules.game.chance_first and rules.moved:
            raise rules.broken("play", "chance acts after a player has moved, but chance_first is True.", state)
        outcomes = rules.outcomes(state)
        checked.chances += 1
        checked.most_outcomes = max(checked.most_outcomes, len(outcomes))
        if checked.chances <= SAMPLED_POSITIONS and type(rules.game).defines("sample"):
            _check_sample(rules, state, outcomes, stream)
        rules.play(state, stream.choices([o for o, _ in outcomes], [p for _, p in outcomes])[0])
    else:
        moves = rules.moves(state)
        checked.choices += 1
        checked.moves += len(moves)
        checked.most_moves = max(checked.most_moves, len(moves))
        rules.play(state, stream.choice(moves))


def check_position(rules: WatchedRules, state: State) -> None:
    """Check a position in which the game goes on."""
    game = rules.game
    twin = State.from_text(state.to_text(), game.dtype)  # the same position, read from text, without scratch fields
    if twin != state:
        raise rules.broken("fields", f"the position reads back from its text as {twin.to_text()}.", state)
    options = rules.options(state)
    method = "chances" if state.turn == CHANCE else "moves"
    if rules.options(twin) != options:
        raise rules.broken(method, "depends on scratch fields.", state)
    if type(game).defines("key") and rules.call("key", state) != rules.call("key", twin):
        raise rules.broken("key", "differs for equal positions: it depends on scratch fields.", state)
    if type(game).defines("urgency") and state.turn != CHANCE:
        for move in options:
            if not isinstance(urgency := rules.call("urgency", state, move), int):
                raise rules.broken("urgency", f"must return an integer, not {urgency!r}.", state)
    if type(game).defines("evaluate"):
        rules.shares("evaluate", state)
    if type(game).defines("score"):
        rules.shares("score", state, -math.inf, math.inf)
    if type(game).defines("reply") and state.turn != CHANCE:
        for player in set(range(game.players)) - {state.turn}:
            _check_reply(rules, state, player)
    if is_plain():  # names and texts are never compiled
        _check_names(rules, state, options)
        check_text(rules, state)


def check_end(rules: WatchedRules, state: State) -> None:
    game = rules.game
    payoff = rules.shares("payoff", state, game.min_utility, game.max_utility)
    if game.is_constant_sum and abs(sum(payoff) - game.utility_sum) > TOLERANCE * (game.max_utility - game.min_utility):
        rule = f"sum to utility_sum = {game.utility_sum:g}" if game.has_utilities else "sum to 1"
        what = "utilities" if game.has_utilities else "shares"
        raise rules.broken("payoff", f"the {what} {payoff} do not {rule}.", state)
    if type(rules.game).defines("score"):
        rules.shares("score", state, -math.inf, math.inf)
    if is_plain():
        check_text(rules, state)


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


def _check_names(rules: WatchedRules, state: State, options: Sequence[int]) -> None:
    names = []
    for move in options:
        name = shown(rules, "name", state, move)
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise rules.broken("board.name", f"the name of {move} is {name!r}; it must be one line of text.", state)
        names.append(name)
    for move, name in zip(options, names, strict=True):
        try:
            found = find_move(name, options, names)
        except IllegalMove:
            raise rules.broken("board.name", f"{name!r}, the name of {move}, does not parse back.", state) from None
        if found != move:
            raise rules.broken("board.name", f"{found} and {move} are both called {name!r}.", state)


def check_text(rules: WatchedRules, state: State) -> None:
    try:
        Text.from_markup(shown(rules, "text", state))
    except MarkupError as error:
        raise rules.broken("board.text", f"is not valid markup: {error}.", state) from None


def shown(rules: WatchedRules, method: str, state: State, *args: Any) -> Any:
    try:
        return getattr(rules.board, method)(rules.game, state, *args)
    except Exception as error:
        raise rules.failed(f"board.{method}", error, state) from error


def _check_sample(rules: WatchedRules, state: State, outcomes: Sequence[tuple[int, float]], stream: Stream) -> None:
    """Compare draws with the probabilities by Pearson's chi-square test."""
    drawn = Counter(rules.calls_of("sample", state, stream.words, times=DRAWS))
    if unknown := set(drawn) - {outcome for outcome, _ in outcomes}:
        raise rules.broken("sample", f"draws {unknown.pop()}, which `chances` does not list.", state)
    bins: list[tuple[float, int]] = []  # expected and drawn; rare outcomes share one, or the test would be invalid
    expected, found = 0.0, 0
    for outcome, p in sorted(outcomes, key=lambda pair: pair[1]):
        expected, found = expected + p * DRAWS, found + drawn[outcome]
        if expected >= 10:
            bins.append((expected, found))
            expected, found = 0.0, 0
    freedom = len(bins) - 1
    if freedom < 1:
        return
    statistic = sum((found - expected) ** 2 / expected for expected, found in bins)
    spread = 2 / (9 * freedom)  # Wilson and Hilferty: the cube root is nearly normal
    if statistic > freedom * (1 - spread + FALSE_ALARM * math.sqrt(spread)) ** 3:
        shares = {outcome: drawn[outcome] / DRAWS for outcome, _ in outcomes}
        raise rules.broken("sample", f"draws {shares}, but `chances` says {dict(outcomes)}.", state)
