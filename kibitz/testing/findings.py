"""Findings: what breaks no promise, but looks like a mistake in the rules, over many random games.

A finding is something that happened in no game, or in every one, though the rules seem to intend otherwise. Much of
that is normal (rare moves, a fixed length, no draws), so only what would be remarkable in a sound game is reported.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from statistics import correlation, mean

from kibitz.rules.contract import CHANCE
from kibitz.state import State
from kibitz.testing.positions import Checked, Finding
from kibitz.testing.rules import WatchedRules

FEWEST_GAMES = 50  # fewer say nothing
OFTEN = 0.1  # the share of games in which every other move was legal, if one that never was is to be remarkable
SMALL = 0.2  # the share of all moves that may never be legal by mistake; more are a way of numbering them
LONG = 40  # plies
AGAINST = -0.45  # a correlation that is not chance, even in the fewest games …
POOR = 0.3  # … and one that says little


class Statistics:
    """What happened in random games."""

    def __init__(self, rules: WatchedRules) -> None:
        self.rules = rules
        self.acted = Counter[int]()  # decisions, by player
        self.legal = Counter[int]()  # the number of games in which a move was legal
        self.outcomes = Counter[int]()  # the number of chance events with so many outcomes
        self.payoffs: list[tuple[float, ...]] = []
        self.lengths: list[int] = []
        self.last_choices: list[int] = []  # legal moves in the last decision of each game
        self.scores: list[tuple[float, ...]] = []
        self.evaluations: list[tuple[float, ...]] = []  # of the last decision of each game …
        self.last_turns: list[int] = []  # … and whose it was
        self._begin_game()

    def _begin_game(self) -> None:
        self._legal: set[int] = set()
        self._last: State | None = None  # the last position with a decision
        self._last_choice = 0

    def see_position(self, state: State, options: Sequence[tuple[int, float]]) -> None:
        if state.turn == CHANCE:
            self.outcomes[len(options)] += 1
        else:
            self.acted[state.turn] += 1
            self._legal.update(move for move, _ in options)
            self._last_choice = len(options)
            if self.rules.defines("evaluate"):
                self._last = state.copy()

    def see_end(self, state: State, payoff: Sequence[float]) -> None:
        self.payoffs.append(tuple(round(share, 9) for share in payoff))
        self.lengths.append(len(self.rules.path))
        self.last_choices.append(self._last_choice)
        self.legal.update(self._legal)
        with self.rules.unwatched():
            if self.rules.defines("score"):
                self.scores.append(tuple(self.rules.shares("score", state, -math.inf, math.inf)))
            if self._last:
                self.evaluations.append(tuple(self.rules.shares("evaluate", self._last)))
                self.last_turns.append(self._last.turn)
        self._begin_game()


def suspicious(seen: Statistics, checked: Checked, shown: Collection[int] = ()) -> list[Finding]:
    """What in these games looks like a mistake. `shown` are the moves that players saw, perhaps instead of others."""
    games = len(seen.payoffs)
    if games < FEWEST_GAMES:
        return []
    found = [
        *_turns(seen, games),
        *_results(seen, games),
        *_moves(seen, checked, games, shown),
        *_estimates(seen, games),
    ]
    return [Finding(method, sentence) for method, sentence in found]


def _turns(seen: Statistics, games: int) -> Iterator[tuple[str, str]]:
    for player in range(seen.rules.game.players):
        if not seen.acted[player]:
            yield "play", f"player {player} never had a turn in {games} games. Is s.turn set to {player} anywhere?"


def _results(seen: Statistics, games: int) -> Iterator[tuple[str, str]]:
    players = seen.rules.game.players
    results = Counter(seen.payoffs)
    if len(results) == 1 and players > 1:
        (payoff,) = results
        if max(payoff) == min(payoff):
            yield "payoff", f"all {games} games were draws. Does the game end when somebody wins?"
        elif payoff.count(max(payoff)) == 1:
            winner = payoff.index(max(payoff))
            yield "payoff", f"player {winner} won all {games} games. Is the win given to the right player?"
        else:
            yield "payoff", f"all {games} games ended with the payoff {list(payoff)}. Does it depend on the position?"
        return
    best = Counter(player for payoff in seen.payoffs for player in range(players) if payoff[player] > mean(payoff))
    for player in range(players):
        if not best[player] and players > 1:
            rest = f"player {best.most_common(1)[0][0]} won {best.most_common(1)[0][1]}"
            if best.most_common(1)[0][1] >= FEWEST_GAMES // 2:
                yield (
                    "payoff",
                    f"player {player} won none of {games} games; {rest}. Is the win given to the right player?",
                )


def _moves(seen: Statistics, checked: Checked, games: int, shown: Collection[int]) -> Iterator[tuple[str, str]]:
    game = seen.rules.game
    if checked.most_moves == 1 and game.max_moves > 1:
        rule = f"no position had more than one legal move, but max_moves is {game.max_moves}."
        yield "moves", f"{rule} Does it return too early?"
        return
    never = [move for move in range(game.actions) if not seen.legal[move] and move not in shown]
    in_a_row = never and never[-1] - never[0] == len(never) - 1
    if in_a_row and len(never) <= max(1, SMALL * game.actions) and min(seen.legal.values()) >= OFTEN * games:
        one = len(never) == 1
        which = f"the move {never[0]} was" if one else f"the moves {never[0]} to {never[-1]} were"
        rule = f"{which} never legal in {games} games, but all others often were."
        yield "moves", f"{rule} {'Was it' if one else 'Were they'} forgotten?"
    if len(seen.outcomes) == 1:
        ((count, events),) = seen.outcomes.items()
        if count < game.max_outcomes and events >= FEWEST_GAMES:
            rule = f"each of {events} chance events had {count} outcomes, but max_outcomes is {game.max_outcomes}."
            yield "chances", f"{rule} Is one missing?"
    long = game.max_plies >= LONG and set(seen.lengths) == {game.max_plies}
    if long and mean(seen.last_choices) >= checked.branching / 2:
        yield (
            "play",
            f"all {games} games lasted exactly max_plies = {game.max_plies} plies. Does nothing else end them?",
        )


def _estimates(seen: Statistics, games: int) -> Iterator[tuple[str, str]]:
    rules = seen.rules
    if seen.scores:
        lower = bool(rules.game.score_lower_wins)
        decided = [
            (payoff[score.index(max(score))], payoff[score.index(min(score))])
            for payoff, score in zip(seen.payoffs, seen.scores, strict=True)
            if score.count(max(score)) == score.count(min(score)) == 1 and max(payoff) > min(payoff)
        ]
        against = [high > low if lower else high < low for high, low in decided]
        if len(decided) >= FEWEST_GAMES // 2 and all(against):
            look = "Should it be False" if lower else "Should score_lower_wins be True"
            rule = f"the {'highest' if lower else 'lowest'} score won all {len(decided)} games that were not drawn"
            rule += ", but score_lower_wins is True." if lower else "."
            yield "score", f"{rule} {look}, or is payoff reversed?"
    if len(seen.evaluations) == games:
        yield from _evaluations(seen)


def _evaluations(seen: Statistics) -> Iterator[tuple[str, str]]:
    players = range(seen.rules.game.players)
    flat = [share for shares in seen.evaluations for share in shares]
    won = [share for payoff in seen.payoffs for share in payoff]
    if max(flat) == min(flat):
        yield "evaluate", f"is always {flat[0]:g}, for all players. Does it look at the position?"
        return
    if len(set(seen.payoffs)) == 1:
        return  # which is a finding of its own
    fit = correlation(flat, won)
    # What it would mean if the first share were that of the player to act.
    turned = [
        shares[(player - turn) % len(players)]
        for shares, turn in zip(seen.evaluations, seen.last_turns, strict=True)
        for player in players
    ]
    turns = Counter(seen.last_turns)
    telling = min(turns[player] for player in players) >= OFTEN * len(seen.last_turns) and max(turned) > min(turned)
    if fit < AGAINST:
        yield "evaluate", "favours the players who lose: before the last moves, it says the opposite of the result."
    elif telling and fit < POOR and correlation(turned, won) > fit - AGAINST:
        rule = "does not fit the results, unless out[0] is the share of the player to act."
        yield "evaluate", f"{rule} It must be that of player 0."
