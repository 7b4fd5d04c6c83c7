"""The batches of a training run: games of self-play, or before that of a teacher."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kibitz.learn.features import Features
from kibitz.learn.zero.examples import Examples
from kibitz.learn.zero.network import Network, new_network
from kibitz.learn.zero.self_play import Manner, never, play_batch
from kibitz.learn.zero.teacher_games import find_teacher, play_taught_batch
from kibitz.rules.contract import Game

TAUGHT_GAMES = 4  # batches of a teacher, who needs no search, are larger by this factor


class Batches(NamedTuple):
    """The batches of a training run, which are known by their numbers."""

    game: Game
    features: Features
    manner: Manner
    seed: int
    games: int  # in each
    teacher: str = ""  # the spec of the bot whose games are learned from first; none if empty

    def play(self, network: Network | None, number: int, is_stopped: Callable[[], bool] = never) -> Examples:
        """What there is to learn from a batch of self-play; without a network, from one that the teacher plays."""
        game, features, manner, seed, games, teacher = self
        if network is not None:
            return play_batch(game, features, network, manner, seed, number, games, is_stopped)
        games *= TAUGHT_GAMES
        return play_taught_batch(game, features, find_teacher(teacher, game), manner, seed, number, games, is_stopped)

    def prepare(self) -> None:
        """Compile what it takes to play them."""
        game, features, _, _, _, teacher = self
        none = self._replace(games=0)
        none.play(new_network(features.size(game), game.actions, game.players), 0)
        if teacher:
            none.play(None, 0)
