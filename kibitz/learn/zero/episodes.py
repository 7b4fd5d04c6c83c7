"""Episodes: games of self-play as they were played, and the examples that become of them.

Only positions that were searched thoroughly become examples. In a game with symmetries, every game is also seen in some
of its mirrors: the same game with renumbered moves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kibitz.compiler import compiled, native, numbers, records
from kibitz.learn.features import Features
from kibitz.learn.zero.evaluator import Evaluator, look
from kibitz.learn.zero.examples import Examples, room_for
from kibitz.rules.contract import CHANCE, Game
from kibitz.rules.engine import Engine

MOST_SEARCHES = 1000  # of a game that become examples
PLIES, SEARCHES, CHOICES = range(3)


class PlayedGame(NamedTuple):
    """A game of self-play, and where it is played."""

    opening: Any  # [the state before the first ply]
    true: Any  # [the true state]
    turns: Any  # who acted, ply by ply …
    moves: Any  # … and what they did
    length: Any  # [plies, thorough searches, moves considered in these]
    plies: Any  # of each thorough search
    values: Any  # [search, player]
    starts: Any  # of each search: where its moves begin
    choices: Any
    policy: Any
    payoff: Any


def new_episode(game: Game) -> PlayedGame:
    """Room for a game."""
    searches = min(game.max_plies, MOST_SEARCHES)
    opening = records(1, game.dtype)
    opening[0] = native(Engine(game).start())
    return PlayedGame(
        opening=opening,
        true=records(1, game.dtype),
        turns=numbers(game.max_plies, "i1"),
        moves=numbers(game.max_plies, "i4"),
        length=numbers(3, "i8"),
        plies=numbers(searches, "i8"),
        values=numbers((searches, game.players), "f8"),
        starts=numbers(searches + 1, "i8"),
        choices=numbers(searches * game.max_moves, "i4"),
        policy=numbers(searches * game.max_moves, "f4"),
        payoff=numbers(game.players, "f8"),
    )


@compiled
def begin_episode(episode: PlayedGame) -> None:
    """Set up the opening position."""
    episode.length[:] = 0
    episode.true[0] = episode.opening[0]


@compiled
def play_ply(game: Any, episode: PlayedGame, move: int) -> None:
    """Play a move or outcome in the true state."""
    s, ply = episode.true[0], episode.length[PLIES]
    episode.turns[ply] = s.turn
    episode.moves[ply] = move
    episode.length[PLIES] = ply + 1
    game.play(s, move)


@compiled
def end_episode(game: Any, episode: PlayedGame, is_over: bool) -> None:
    """Note the result. Rules that break their promise to end teach nothing."""
    if is_over:
        game.normalized_payoff(episode.true[0], episode.payoff)
    else:
        episode.length[SEARCHES] = 0


@compiled
def has_room(episode: PlayedGame) -> bool:
    """Whether another search can be noted."""
    return episode.length[SEARCHES] < len(episode.plies)


@compiled
def note_choice(episode: PlayedGame, move: int, probability: float) -> None:
    """Add a legal move of the search that is being noted, and how probable it should be."""
    at = episode.length[CHOICES]
    episode.choices[at] = move
    episode.policy[at] = probability
    episode.length[CHOICES] = at + 1


@compiled
def close_search(episode: PlayedGame) -> int:
    """Finish noting a search after its choices; return its number."""
    number = episode.length[SEARCHES]
    episode.plies[number] = episode.length[PLIES]
    episode.starts[number + 1] = episode.length[CHOICES]
    episode.length[SEARCHES] = number + 1
    return number


@compiled
def write_examples(
    game: Any, episode: PlayedGame, by: Evaluator, renumbered: Any, result: float, out: Examples, count: int
) -> int:
    """Replay an episode with renumbered moves and write its examples after the first `count`; return how many then."""
    episode.true[0] = episode.opening[0]
    s = episode.true[0]
    search = 0
    for ply in range(episode.length[PLIES]):
        if search < episode.length[SEARCHES] and episode.plies[search] == ply:
            write_example(game, s, by, episode, search, renumbered, result, out, count)
            search += 1
            count += 1
        move = episode.moves[ply]
        game.play(s, move if episode.turns[ply] == CHANCE else renumbered[move])
    return count


@compiled
def write_example(
    game: Any,
    s: Any,
    by: Evaluator,
    episode: PlayedGame,
    search: int,
    renumbered: Any,
    result: float,
    out: Examples,
    number: int,
) -> None:
    """Write what a search found in a position as example `number`."""
    place, choice = out.place_starts[number], out.move_starts[number]
    for i in range(look(game, by.features, s, by.known, by.scratch, by.places, by.amounts)):
        out.places[place] = by.places[i]
        out.amounts[place] = by.amounts[i]
        place += 1
    for i in range(episode.starts[search], episode.starts[search + 1]):
        out.moves[choice] = renumbered[episode.choices[i]]
        out.policy[choice] = episode.policy[i]
        choice += 1
    out.place_starts[number + 1] = place
    out.move_starts[number + 1] = choice
    players = len(episode.payoff)
    for seat in range(players):
        player = (s.turn + seat) % players
        out.values[number, seat] = result * episode.payoff[player] + (1.0 - result) * episode.values[search, player]


def room_for_episode(game: Game, features: Features, episode: PlayedGame, images: int) -> Examples:
    """Room for the examples of an episode, in each of its images."""
    searches, choices = int(episode.length[SEARCHES]), int(episode.length[CHOICES])
    count = searches * images
    return room_for(count, count * features.most(game), choices * images, game.players)
