"""Random games of a fixed seed, watched through the eyes of the player to act."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import as_buffer, compiled
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.rules.rng import Stream, below
from kibitz.table.compiled_games import Desk, new_desk

WATCHED_GAMES, WATCHED_POSITIONS = 200, 10_000  # whichever comes first


class WatchedGames(NamedTuple):
    """Positions of random games, in order, as the player to act sees them."""

    positions: Any
    follows: Any  # whether a position follows the one before it in the same game
    digest: str


@compiled
def watch(game: Any, desk: Desk, rng: Any, positions: Any, follows: Any, games: int) -> int:
    """Play random games and keep what their movers see, until there is no more room; return the number of positions."""
    count = 0
    for _ in range(games):
        desk.true[0] = desk.opening[0]
        s = desk.true[0]
        ply, begun = 0, False
        while s.turn != OVER and ply < game.max_plies:
            if s.turn == CHANCE:
                game.play(s, game.draw(s, desk.moves, desk.chances, rng))
            else:
                if count == len(positions):
                    return count
                show(game, desk)
                positions[count] = desk.known[0]
                follows[count] = 1 if begun else 0
                begun = True
                count += 1
                game.play(s, desk.moves[below(rng, game.moves(s, desk.moves))])
            ply += 1
    return count


@compiled
def show(game: Any, desk: Desk) -> None:
    """Copy what the player to act may know of desk.true[0] to desk.known[0]."""
    desk.known[0] = desk.true[0]
    if desk.hidden:
        desk.scratch[:] = 0  # scratch fields may leak hidden information
        game.redact(desk.known[0], desk.true[0].turn)


def watched_games(game: Game) -> WatchedGames:
    """The random games of a fixed seed."""
    positions, follows = np.zeros(WATCHED_POSITIONS, game.dtype), np.zeros(WATCHED_POSITIONS, "i1")
    words = Stream("watched games").words
    count = watch(game, new_desk(game, 0), words, as_buffer(positions), as_buffer(follows), WATCHED_GAMES)
    digest = hashlib.blake2b(digest_size=16)
    digest.update(repr((game.players, game.actions, game.dtype.descr)).encode())
    public = positions[:count].view("u8").reshape(count, -1)[:, : game.public_words]
    digest.update(np.ascontiguousarray(public).tobytes())
    return WatchedGames(positions[:count], follows[:count].astype(bool), digest.hexdigest())
