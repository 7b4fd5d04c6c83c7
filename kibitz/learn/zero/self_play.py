"""Self-play: games of a network against itself, and what there is to learn from them.

`play_batch` is a pure function of the game, the network, the manner of play, the seed and the number of the batch, so
that batches can be played anywhere and in any order.

In every position with a choice, noisy_search.py searches for a move. Only some of the searches are thorough, and only
those become examples; the quick ones in between bring games to an end sooner, and with them results, which are what
values are learned from (playout cap randomization: Wu, 2019). As many positions with a single move become examples, of
their value alone, since searches ask for that, too. The tree is kept from move to move.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from kibitz.compiler import as_buffer, compiled
from kibitz.learn.features import Features
from kibitz.learn.symmetries import symmetries_of
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
    room_for_episode,
    write_examples,
)
from kibitz.learn.zero.evaluator import Evaluator
from kibitz.learn.zero.examples import Examples, joined, room_for
from kibitz.learn.zero.guided_search import GuidedSearch, follow, forget, new_guided_search, show_root
from kibitz.learn.zero.network import Network
from kibitz.learn.zero.noisy_search import RootMoves, new_root_moves, pick_child, search_root
from kibitz.learn.zero.puct import Descent, guidance
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.rules.rng import Stream, below, uniform
from kibitz.search.tree_arrays import ROOT, Tree

MOST_IMAGES = 4  # of a game: itself and up to three mirrors, drawn at random
SMALL = 1e-6
KEPT_TREES = 4  # the capacity of a tree, as a multiple of what one search may need


class Manner(NamedTuple):
    """How self-play is played."""

    simulations: int = 64  # of a thorough search
    quick: int = 16  # of the others
    thorough: float = 0.5  # the share of thorough searches
    opening: int = 3  # the most random moves at the start of a game
    c: float = 1.0
    noise: float = 0.25  # its share in the priors of a thorough search
    drawn: int = 12  # plies in which moves are drawn by the policy
    mix: float = 0.0  # the weight of a playout beside the network's value
    result: float = 0.5  # the weight of the game's result in the target of values; the rest is the search's value


class SelfPlay(NamedTuple):
    """A workspace for games of self-play."""

    search: GuidedSearch
    roots: RootMoves
    episode: PlayedGame


@compiled
def play_game(game: Any, play: SelfPlay, manner: Manner, rng: Any) -> None:
    """Play a game and write it to play.episode."""
    search, episode, descent = play.search, play.episode, play.search.descent
    begin_episode(episode)
    s = episode.true[0]
    random_moves = below(rng, manner.opening + 1)
    forget(search.tree, search.is_open, search.sets)
    while s.turn != OVER and episode.length[PLIES] < game.max_plies:
        if s.turn == CHANCE:
            move = game.draw(s, descent.moves, descent.chances, rng)
        else:
            count = game.moves(s, descent.moves)
            move = descent.moves[below(rng, count)]
            thorough = uniform(rng) < manner.thorough
            if random_moves > 0:
                random_moves -= 1
            elif count > 1 or thorough:
                show_root(game, s, descent.states, search.evaluator.known, search.evaluator.scratch)
                simulations = manner.simulations if thorough and count > 1 else manner.quick
                search_root(game, search, play.roots, rng, simulations, manner.noise if thorough else 0.0)
                is_drawn = episode.length[PLIES] < manner.drawn
                child = pick_child(play.roots, count, is_drawn, rng)
                if thorough and has_room(episode):
                    note_search(search.tree, descent, play.roots, count, search.evaluator.total, episode)
                move = search.tree.nodes[child].move
        follow(search.tree, search.is_open, search.sets, move)
        play_ply(game, episode, move)
    end_episode(game, episode, s.turn == OVER)


@compiled
def note_search(tree: Tree, descent: Descent, roots: RootMoves, count: int, total: float, episode: PlayedGame) -> None:
    """Add what a search suggests to the episode."""
    value = 0.0
    for i in range(count):
        note_choice(episode, tree.nodes[roots.children[i]].move, roots.policy[i])
        value += roots.policy[i] * roots.values[i]
    number = close_search(episode)
    values = episode.values[number]
    if tree.nodes[ROOT].proven:
        for player in range(len(values)):
            values[player] = tree.exact[ROOT, player]
    else:
        share_values(descent, descent.states[0].turn, value, total, values)


@compiled
def share_values(descent: Descent, mover: int, value: float, total: float, values: Any) -> None:
    """Write the value of a position to each player, given that to the mover.

    The others have what they got in the simulations; with a constant sum, in proportion to what the mover leaves them.
    """
    counted = max(descent.counted[0], 1)  # without simulations, if all moves that were considered are proven
    left = total - descent.totals[mover] / counted
    for player in range(len(values)):
        values[player] = descent.totals[player] / counted
        if player == mover:
            values[player] = value
        elif total >= 0.0 and left > SMALL and descent.counted[0] > 0:
            values[player] *= (total - value) / left
        elif total >= 0.0:
            values[player] = (total - value) / (len(values) - 1)


# ------------------------------------------------------------------ batches


def new_self_play(game: Game, features: Features, network: Network, manner: Manner) -> SelfPlay:
    """A workspace for a network."""
    widest = max(game.max_moves, game.max_outcomes)
    nodes = KEPT_TREES * (manner.simulations + 2) * (widest + 1)
    return SelfPlay(
        search=new_guided_search(game, features, network, nodes, guidance(game, manner.c, manner.mix)),
        roots=new_root_moves(game),
        episode=new_episode(game),
    )


class Stopped(Exception):
    """A batch was given up."""


def never() -> bool:
    """Go on to the end."""
    return False


def play_batch(
    game: Game,
    features: Features,
    network: Network,
    manner: Manner,
    seed: int | str,
    number: int,
    games: int,
    is_stopped: Callable[[], bool] = never,
) -> Examples:
    """Play batch `number` of a training run, of `games` games, and return what there is to learn from it.

    Raises Stopped if `is_stopped` says so between two games.
    """
    play = new_self_play(game, features, network, manner)
    stream = Stream(seed, "self-play", number)
    arguments = game, play, manner, stream.words
    # Bound once: finding out the types of so many arrays takes longer than a short game.
    play_one = play_game.bind(*arguments)  # type: ignore[attr-defined]
    return write_batch(
        game,
        features,
        play.search.evaluator,
        play.episode,
        manner,
        stream,
        games,
        lambda: play_one(*arguments),
        is_stopped,
    )


def write_batch(
    game: Game,
    features: Features,
    evaluator: Evaluator,
    episode: PlayedGame,
    manner: Manner,
    stream: Stream,
    games: int,
    play_one: Callable[[], None],
    is_stopped: Callable[[], bool],
) -> Examples:
    """Play games, each of which is left in `episode`, and return what there is to learn from them."""
    symmetries = symmetries_of(game)
    found = [room_for(0, 0, 0, game.players)]
    written = episode, evaluator, as_buffer(symmetries[0]), manner.result, _buffers(found[0]), 0
    write = write_examples.bind(game, *written)  # type: ignore[attr-defined]
    for _ in range(games):
        if is_stopped():
            raise Stopped
        play_one()
        images = [0, *stream.sample(range(1, len(symmetries)), min(len(symmetries), MOST_IMAGES) - 1)]
        out = room_for_episode(game, features, episode, len(images))
        count = 0
        for image in images:
            renumbered = as_buffer(symmetries[image])
            count = write(game, episode, evaluator, renumbered, manner.result, _buffers(out), count)
        found.append(out.cut(count))
    return joined(found)


def _buffers(examples: Examples) -> Examples:
    return Examples(*map(as_buffer, examples))
