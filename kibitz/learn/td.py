"""Temporal differences: learning what positions are worth from how the estimates change in the course of a game.

It keeps one weight for each feature; the logistic function of a position's sum is the estimated share of the win. It
plays itself, each side taking the move that it likes best. After each game it looks at the positions left by the moves,
the last one first, and pulls every estimate towards what came after: a mix of the next estimate and, with the weight λ,
of what that one was pulled towards, the end being the result (the λ-return of Sutton 1988; Tesauro 1995 for a
game of dice). Each weight has a step of its own, which falls as the square root of the times it was moved. What is
kept in the end is the average of the weights over the second half of the games.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled import compiled, numbers, records
from kibitz.game import CHANCE, OVER, Game
from kibitz.learn.features import Features, Mind, new_mind
from kibitz.learn.player import Learned
from kibitz.learn.series import SELF, Series, compiled_player, new_series, play_next

RATE = 0.3  # the first step of a weight
TRACE = 0.7  # λ: how much the rest of a game counts beside the next estimate


class Lesson(NamedTuple):
    """The positions of the game just played, in order, and the steps by which weights move."""

    states: Any  # [the position on the way through the game]
    places: Any  # [position, i]
    amounts: Any
    counts: Any
    viewers: Any
    estimates: Any  # player 0's share
    moved: Any  # how often each weight was moved
    rates: Any  # [the first step, λ]


@compiled
def teach(game: Any, series: Series, mind: Mind, lesson: Lesson, count: int) -> None:
    """Play so many games and learn from each."""
    for _ in range(count):
        play_next(game, series)
        learn(mind, lesson, look_back(game, series, mind, lesson), series.sheet.payoff[0, 0])


@compiled
def look_back(game: Any, series: Series, mind: Mind, lesson: Lesson) -> int:
    """Describe and estimate the positions of the game just played; return how many there are."""
    turns, moves = series.sheet.turns[0], series.sheet.moves[0]
    lesson.states[0] = series.desk.opening[0]
    s = lesson.states[0]
    note(game, mind, lesson, 0)
    count = 1
    for ply in range(series.sheet.plies[0]):
        game.play(s, moves[ply])
        if turns[ply] != CHANCE and s.turn != OVER:
            note(game, mind, lesson, count)
            count += 1
    return count


@compiled
def note(game: Any, mind: Mind, lesson: Lesson, at: int) -> None:
    s = lesson.states[0]
    places, amounts = lesson.places[at], lesson.amounts[at]
    count = mind.features.describe(game, s, places, amounts)
    total = 0.0
    for i in range(count):
        total += mind.weights[places[i]] * amounts[i]
    lesson.counts[at] = count
    lesson.viewers[at] = mind.features.viewer(game, s)
    lesson.estimates[at] = logistic(total if lesson.viewers[at] == 0 else -total)


@compiled
def learn(mind: Mind, lesson: Lesson, count: int, result: float) -> None:
    """Pull the estimates of a game towards what came after."""
    rate, trace = lesson.rates[0], lesson.rates[1]
    aim = result
    for at in range(count - 1, -1, -1):
        difference = aim - lesson.estimates[at]
        aim = trace * aim + (1.0 - trace) * lesson.estimates[at]
        if lesson.viewers[at] != 0:
            difference = -difference
        for i in range(lesson.counts[at]):
            place = lesson.places[at, i]
            lesson.moved[place] += 1
            mind.weights[place] += rate * difference * lesson.amounts[at, i] / math.sqrt(lesson.moved[place])


@compiled
def logistic(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


def new_lesson(game: Game, features: Features, rate: float, trace: float) -> Lesson:
    """Room for the longest game, and weights that were never moved."""
    positions = game.max_plies + 1
    rates = numbers(2, "f8")
    rates[0], rates[1] = rate, trace
    return Lesson(
        states=records(1, game.dtype),
        places=numbers((positions, features.most(game)), "i8"),
        amounts=numbers((positions, features.most(game)), "f8"),
        counts=numbers(positions, "i8"),
        viewers=numbers(positions, "i8"),
        estimates=numbers(positions, "f8"),
        moved=numbers(features.size(game), "i8"),
        rates=rates,
    )


class Course:
    """A mind that learns as it plays itself, or a bot."""

    def __init__(self, game: Game, features: Features, games: int, seed: int, opponent: str) -> None:
        self.game = game
        self.half = games // 2
        self.mind = new_mind(game, features, features.start(game))
        self.lesson = new_lesson(game, features, RATE, TRACE)
        learner = Learned(), (self.mind,)
        other = learner if opponent == SELF else compiled_player(opponent, game)
        self.series = new_series(game, [learner, other], seed, keep_moves=True)
        self.sum = np.zeros(features.size(game))
        self.summed = 0

    def study(self, count: int) -> None:
        """Play so many games and learn from each."""
        teach(self.game, self.series, self.mind, self.lesson, count)
        if self.series.sheet.number[0] > self.half:
            self.sum += np.asarray(self.mind.weights)
            self.summed += 1

    def weights(self) -> list[float]:
        """What was learned so far."""
        found = self.sum / self.summed if self.summed else np.asarray(self.mind.weights)
        return found.tolist()
