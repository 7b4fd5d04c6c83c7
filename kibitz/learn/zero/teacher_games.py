"""Games of a teacher: a compiled player, whose games a network learns from before it plays against itself.

Self-play begins with nothing but chance, and where games go on for as long as nobody moves towards their end, it learns
little from many plies. A player that knows a little of the game plays thousands of games in the time of one search. The
network learns the teacher's moves, and from the results what positions are worth; self-play then goes on from there.
Some moves are random, so that there is something to learn about positions that the teacher would avoid.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from kibitz.compiler import compiled, numbers, records
from kibitz.errors import SpecError
from kibitz.learn.features import Features
from kibitz.learn.zero.episodes import (
    PLIES,
    PlayedGame,
    begin_episode,
    close_search,
    end_episode,
    has_room,
    new_episode,
    note_choice,
    play_ply,
)
from kibitz.learn.zero.evaluator import Evaluator, new_evaluator
from kibitz.learn.zero.examples import Examples
from kibitz.learn.zero.guided_search import show_root
from kibitz.learn.zero.network import new_network
from kibitz.learn.zero.self_play import Manner, never, write_batch
from kibitz.players.compiled_player import CompiledPlayer
from kibitz.players.roster import bot
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.rules.rng import Stream, below, uniform

RANDOM_MOVES = 0.1  # the share of moves that the teacher does not choose


class TeacherGames(NamedTuple):
    """A workspace for games of a teacher."""

    evaluator: Evaluator  # says what the player to act may know
    episode: PlayedGame
    shown: Any  # [the position as the teacher sees it]
    moves: Any
    chances: Any


def find_teacher(spec: str, game: Game) -> CompiledPlayer:
    """The player of a spec; SpecError if it cannot teach."""
    player = bot(spec, game)
    if not isinstance(player, CompiledPlayer):
        raise SpecError(f"{spec} cannot teach, because it is not a compiled player; see `kibitz bots`.")
    return player


@compiled
def play_taught_game(game: Any, play: TeacherGames, teacher: Any, memory: Any, manner: Manner, rng: Any) -> None:
    """Let the teacher play a game in all seats, and write it to play.episode."""
    episode, moves = play.episode, play.moves
    begin_episode(episode)
    s = episode.true[0]
    random_moves = below(rng, manner.opening + 1)
    while s.turn != OVER and episode.length[PLIES] < game.max_plies:
        if s.turn == CHANCE:
            move = game.draw(s, moves, play.chances, rng)
        else:
            count = game.moves(s, moves)
            move = moves[below(rng, count)]
            if random_moves > 0:
                random_moves -= 1
            else:
                show_root(game, s, play.shown, play.evaluator.known, play.evaluator.scratch)
                choice = teacher.pick(game, play.shown[0], moves, count, s.turn, memory, rng)
                if uniform(rng) < manner.thorough and has_room(episode):
                    for i in range(count):
                        note_choice(episode, moves[i], 1.0 if moves[i] == choice else 0.0)
                    close_search(episode)
                if uniform(rng) >= RANDOM_MOVES:
                    move = choice
        play_ply(game, episode, move)
    end_episode(game, episode, s.turn == OVER)


def play_taught_batch(
    game: Game,
    features: Features,
    teacher: CompiledPlayer,
    manner: Manner,
    seed: int | str,
    number: int,
    games: int,
    is_stopped: Callable[[], bool] = never,
) -> Examples:
    """Let a teacher play batch `number` of a training run; otherwise like `play_batch`."""
    widest = max(game.max_moves, game.max_outcomes)
    play = TeacherGames(
        evaluator=new_evaluator(game, features, new_network(features.size(game), game.actions, game.players)),
        episode=new_episode(game),
        shown=records(1, game.dtype),
        moves=numbers(widest, "i8"),
        chances=numbers(max(game.max_outcomes, 1), "f8"),
    )
    stream = Stream(seed, "teacher", number)
    arguments = game, play, teacher, teacher.memory(game), manner, stream.words
    play_one = play_taught_game.bind(*arguments)  # type: ignore[attr-defined]
    only_results = manner._replace(result=1.0)  # nothing was searched
    return write_batch(
        game,
        features,
        play.evaluator,
        play.episode,
        only_results,
        stream,
        games,
        lambda: play_one(*arguments),
        is_stopped,
    )
