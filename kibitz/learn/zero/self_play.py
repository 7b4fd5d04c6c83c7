"""Self-play: games of a network against itself, and what there is to learn from them.

`play_batch` is a pure function of the game, the network, the manner of play, the seed and the number of the batch, so
that batches can be played anywhere and in any order.

In every position with a choice, gumbel.py searches for a move. Only some of the searches are thorough, and only those
become examples; the quick ones in between bring games to an end sooner, and with them results, which are what values
are learned from (playout cap randomization: Wu, 2019). The tree is kept from move to move. In a game with symmetries,
every game is also seen in some of its mirrors: the same game with renumbered moves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from kibitz.compiler import as_buffer, compiled, native, numbers, records
from kibitz.learn.features import Features
from kibitz.learn.symmetries import symmetries_of
from kibitz.learn.zero.evaluator import Evaluator, look
from kibitz.learn.zero.examples import Examples, joined, room_for
from kibitz.learn.zero.guided_search import GuidedSearch, follow, forget, new_guided_search, show_root
from kibitz.learn.zero.gumbel import RootMoves, new_root_moves, search_root
from kibitz.learn.zero.network import Network
from kibitz.learn.zero.puct import Descent
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream, below, uniform
from kibitz.search.tree_arrays import ROOT, Tree

MOST_IMAGES = 4  # of a game: itself and up to three mirrors, drawn at random
MOST_SEARCHES = 1000  # of a game that become examples
SMALL = 1e-6
KEPT_TREES = 4  # the capacity of a tree, as a multiple of what one search may need


class Manner(NamedTuple):
    """How self-play is played."""

    simulations: int = 64  # of a thorough search
    quick: int = 16  # of the others
    thorough: float = 0.5  # the share of thorough searches
    opening: int = 3  # the most random moves at the start of a game
    c: float = 1.0
    result: float = 0.5  # the weight of the game's result in the target of values; the rest is the search's value


class PlayedGame(NamedTuple):
    """A game of self-play."""

    turns: Any  # who acted, ply by ply …
    moves: Any  # … and what they did
    length: Any  # [plies, thorough searches, moves considered in these]
    plies: Any  # of each thorough search
    values: Any  # [search, player]
    starts: Any  # of each search: where its moves begin
    choices: Any
    policy: Any
    payoff: Any


class SelfPlay(NamedTuple):
    """A workspace for games of self-play."""

    opening: Any
    true: Any  # [the true state]
    search: GuidedSearch
    roots: RootMoves
    episode: PlayedGame


PLIES, SEARCHES, CHOICES = range(3)


@compiled
def play_game(game: Any, play: SelfPlay, manner: Manner, rng: Any) -> None:
    """Play a game and write it to play.episode."""
    search, episode, descent = play.search, play.episode, play.search.descent
    episode.length[:] = 0
    play.true[0] = play.opening[0]
    s = play.true[0]
    random_moves = below(rng, manner.opening + 1)
    forget(search.tree, search.is_open, search.sets)
    while s.turn != OVER and episode.length[PLIES] < game.max_plies:
        if s.turn == CHANCE:
            move = game.draw(s, descent.moves, descent.chances, rng)
        else:
            count = game.moves(s, descent.moves)
            move = descent.moves[below(rng, count)]
            if random_moves > 0:
                random_moves -= 1
            elif count > 1:
                show_root(game, s, descent.states, search.evaluator.known, search.evaluator.scratch)
                thorough = uniform(rng) < manner.thorough
                simulations = manner.simulations if thorough else manner.quick
                child = search_root(game, search, play.roots, rng, simulations)
                if thorough and episode.length[SEARCHES] < len(episode.plies):
                    note_search(search.tree, descent, play.roots, count, search.evaluator.total, episode)
                move = search.tree.nodes[child].move
        follow(search.tree, search.is_open, search.sets, move)
        ply = episode.length[PLIES]
        episode.turns[ply] = s.turn
        episode.moves[ply] = move
        episode.length[PLIES] = ply + 1
        game.play(s, move)
    if s.turn == OVER:
        game.normalized_payoff(s, episode.payoff)
    else:
        episode.length[SEARCHES] = 0  # rules that break their promise to end teach nothing


@compiled
def note_search(tree: Tree, descent: Descent, roots: RootMoves, count: int, total: float, episode: PlayedGame) -> None:
    """Add what a search suggests to the episode."""
    number, at = episode.length[SEARCHES], episode.length[CHOICES]
    episode.plies[number] = episode.length[PLIES]
    episode.starts[number] = at
    value = 0.0
    for i in range(count):
        episode.choices[at] = tree.nodes[roots.children[i]].move
        episode.policy[at] = roots.policy[i]
        value += roots.policy[i] * roots.values[i]
        at += 1
    episode.starts[number + 1] = at
    episode.length[SEARCHES] = number + 1
    episode.length[CHOICES] = at
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


@compiled
def write_examples(game: Any, play: SelfPlay, renumbered: Any, result: float, out: Examples, count: int) -> int:
    """Replay an episode with renumbered moves and write its examples after the first `count`; return how many then."""
    episode, by = play.episode, play.search.evaluator
    play.true[0] = play.opening[0]
    s = play.true[0]
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


# ------------------------------------------------------------------ batches


def new_self_play(game: Game, features: Features, network: Network, manner: Manner) -> SelfPlay:
    """A workspace for a network."""
    widest = max(game.max_moves, game.max_outcomes)
    searches = min(game.max_plies, MOST_SEARCHES)
    opening = records(1, game.dtype)
    opening[0] = native(Engine(game).start())
    episode = PlayedGame(
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
    nodes = KEPT_TREES * (manner.simulations + 2) * (widest + 1)
    return SelfPlay(
        opening=opening,
        true=records(1, game.dtype),
        search=new_guided_search(game, features, network, nodes, manner.c),
        roots=new_root_moves(game),
        episode=episode,
    )


class Stopped(Exception):
    """A batch was given up."""


def play_batch(
    game: Game,
    features: Features,
    network: Network,
    manner: Manner,
    seed: int | str,
    number: int,
    games: int,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Examples:
    """Play batch `number` of a training run, of `games` games, and return what there is to learn from it.

    Raises Stopped if `is_stopped` says so between two games.
    """
    play = new_self_play(game, features, network, manner)
    symmetries = symmetries_of(game)
    stream = Stream(seed, "self-play", number)
    found = [room_for(0, 0, 0, game.players)]
    # Bound once: finding out the types of so many arrays takes longer than a short game.
    play_one = play_game.bind(game, play, manner, stream.words)  # type: ignore[attr-defined]
    write = write_examples.bind(game, play, as_buffer(symmetries[0]), manner.result, _buffers(found[0]), 0)  # type: ignore[attr-defined]
    for _ in range(games):
        if is_stopped():
            raise Stopped
        play_one(game, play, manner, stream.words)
        images = [0, *stream.sample(range(1, len(symmetries)), min(len(symmetries), MOST_IMAGES) - 1)]
        out = _room_for_game(game, features, play, len(images))
        written = 0
        for image in images:
            written = write(game, play, as_buffer(symmetries[image]), manner.result, _buffers(out), written)
        found.append(out.cut(written))
    return joined(found)


def _buffers(examples: Examples) -> Examples:
    return Examples(*map(as_buffer, examples))


def _room_for_game(game: Game, features: Features, play: SelfPlay, images: int) -> Examples:
    """Room for the examples of the game just played, in each of its images."""
    searches, choices = int(play.episode.length[SEARCHES]), int(play.episode.length[CHOICES])
    count = searches * images
    return room_for(count, count * features.most(game), choices * images, game.players)
