"""TD(λ): a linear value function, learned from how its estimates change in the course of a game.

It keeps one weight per feature; the logistic function of a position's score is the estimated share of the win. It plays
itself, each side choosing the move that it likes best. After each game it goes through the positions left by the moves,
the last one first, and moves every estimate towards its λ-return: a mix of the next estimate and, with weight λ, the
next λ-return, the last one being the result (Sutton 1988; Tesauro 1995 for a game of dice). Each weight has its own
step size, which falls with the square root of the number of its updates. The result is the average of the weights over
the second half of the games.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import compiled, numbers, records
from kibitz.learn.features import Features
from kibitz.learn.learned import Learned
from kibitz.learn.linear_value import LinearValue, new_value_function
from kibitz.learn.training_games import SELF, TrainingGames, compiled_player, new_training_games, play_next
from kibitz.rules.contract import CHANCE, OVER, Game

RATE = 0.3  # the initial step size of a weight
TRACE = 0.7  # λ: the weight of the rest of the game relative to the next estimate


class Episode(NamedTuple):
    """The positions of the game just played, in order, and the step sizes of the weights."""

    states: Any  # [the current position, in a pass through the game]
    places: Any  # [position, i]
    amounts: Any
    counts: Any
    viewers: Any
    estimates: Any  # player 0's share
    updates: Any  # how often each weight was updated
    rates: Any  # [the initial step size, λ]


@compiled
def teach(game: Any, games: TrainingGames, value: LinearValue, episode: Episode, count: int) -> None:
    """Play `count` games and learn from each."""
    for _ in range(count):
        play_next(game, games)
        learn(value, episode, look_back(game, games, value, episode), game.normalized(games.sheet.payoff[0, 0]))


@compiled
def look_back(game: Any, games: TrainingGames, value: LinearValue, episode: Episode) -> int:
    """Describe and estimate the positions of the game just played; return how many there are."""
    turns, moves = games.sheet.turns[0], games.sheet.moves[0]
    episode.states[0] = games.desk.opening[0]
    s = episode.states[0]
    note(game, value, episode, 0)
    count = 1
    for ply in range(games.sheet.plies[0]):
        game.play(s, moves[ply])
        if turns[ply] != CHANCE and s.turn != OVER:
            note(game, value, episode, count)
            count += 1
    return count


@compiled
def note(game: Any, value: LinearValue, episode: Episode, at: int) -> None:
    s = episode.states[0]
    places, amounts = episode.places[at], episode.amounts[at]
    count = value.features.describe(game, s, places, amounts)
    total = 0.0
    for i in range(count):
        total += value.weights[places[i]] * amounts[i]
    episode.counts[at] = count
    episode.viewers[at] = value.features.viewer(game, s)
    episode.estimates[at] = logistic(total if episode.viewers[at] == 0 else -total)


@compiled
def learn(value: LinearValue, episode: Episode, count: int, result: float) -> None:
    """Move the estimates of a game towards their λ-returns."""
    rate, trace = episode.rates[0], episode.rates[1]
    target = result
    for at in range(count - 1, -1, -1):
        difference = target - episode.estimates[at]
        target = trace * target + (1.0 - trace) * episode.estimates[at]
        if episode.viewers[at] != 0:
            difference = -difference
        for i in range(episode.counts[at]):
            place = episode.places[at, i]
            episode.updates[place] += 1
            value.weights[place] += rate * difference * episode.amounts[at, i] / math.sqrt(episode.updates[place])


@compiled
def logistic(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


def new_episode(game: Game, features: Features, rate: float, trace: float) -> Episode:
    """Room for the longest game; no weight has been updated yet."""
    positions = game.max_plies + 1
    rates = numbers(2, "f8")
    rates[0], rates[1] = rate, trace
    return Episode(
        states=records(1, game.dtype),
        places=numbers((positions, features.most(game)), "i8"),
        amounts=numbers((positions, features.most(game)), "f8"),
        counts=numbers(positions, "i8"),
        viewers=numbers(positions, "i8"),
        estimates=numbers(positions, "f8"),
        updates=numbers(features.size(game), "i8"),
        rates=rates,
    )


class TDTraining:
    """A value function that learns by playing itself or a bot."""

    def __init__(self, game: Game, features: Features, games: int, seed: int, opponent: str) -> None:
        self.game = game
        self.half = games // 2
        self.value = new_value_function(game, features, features.start(game))
        self.episode = new_episode(game, features, RATE, TRACE)
        learner = Learned(), (self.value,)
        other = learner if opponent == SELF else compiled_player(opponent, game)
        self.games = new_training_games(game, [learner, other], seed, keep_moves=True)
        self.sum = np.zeros(features.size(game))
        self.summed = 0

    def study(self, count: int) -> None:
        """Play `count` games and learn from each."""
        teach(self.game, self.games, self.value, self.episode, count)
        if self.games.sheet.number[0] > self.half:
            self.sum += np.asarray(self.value.weights)
            self.summed += 1

    def weights(self) -> list[float]:
        """The weights learned so far."""
        found = self.sum / self.summed if self.summed else np.asarray(self.value.weights)
        return found.tolist()
