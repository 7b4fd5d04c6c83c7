"""Hexplode with side 3 bounded: within how many plies can neither player force a win?

    python benchmarks/hexplode_bound.py                       # side 3: 20 minutes of processor time, 2.2 GB
    python benchmarks/hexplode_bound.py --side 2 --minutes 1  # side 2, which is solved: the first player wins in 15

A position is searched for one question: can the attacker force a win within so many plies of the beginning? Each
answer goes to a transposition table, which knows a position by the least of the hashes of its 12 symmetric images. The
attacker needs at least as many moves as its tallest stack needs to hexplode, which cuts off hopeless attempts.
"""

from __future__ import annotations

import argparse
import time
from typing import Any, NamedTuple

import numpy as np

import kibitz
from kibitz.compiler import compiled, native
from kibitz.games.hexplode.rules import HASH
from kibitz.games.hexplode.symmetries import symmetries
from kibitz.games.hexplode.tiles import CAPACITY
from kibitz.rules.contract import OVER
from kibitz.rules.engine import Engine
from kibitz.rules.rng import WORD, mixed

NODES = 200_000  # between looks at the clock
NO, YES, UNDECIDED = 0, 1, 2
NEVER = 255  # a ply that no game reaches
ENTRY = np.dtype([("key", "u8"), ("ply", "u1"), ("move", "u1"), ("won_by", "u1", 2), ("not_by", "u1", 2)])


class Search(NamedTuple):
    """The memory of a search."""

    states: Any  # after each number of plies
    moves: Any
    counts: Any  # of the moves
    tried: Any  # how many of them
    keys: Any
    table: Any
    images: Any  # where each tile goes under each symmetry
    progress: Any  # the current ply, and the nodes so far


@compiled
def resume(game: Any, search: Search, attacker: int, limit: int, nodes: int) -> int:
    """Search on; return whether the attacker can force a win within `limit` plies of the beginning."""
    states, progress = search.states, search.progress
    answer = UNDECIDED
    while nodes > 0 or answer != UNDECIDED:
        ply = progress[0]
        if answer == UNDECIDED:  # a new position
            nodes -= 1
            progress[1] += 1
            answer = enter(game, search, ply, attacker, limit)
        else:
            if ply == 0:
                return answer
            ply -= 1
            progress[0] = ply
            wanted = YES if states[ply].turn == attacker else NO
            if answer == wanted or search.tried[ply] == search.counts[ply]:
                note(search, ply, attacker, limit, answer)
                continue
            answer = UNDECIDED
        if answer == UNDECIDED:
            states[ply + 1] = states[ply]
            game.play(states[ply + 1], search.moves[ply, search.tried[ply]])
            search.tried[ply] += 1
            progress[0] = ply + 1
    return UNDECIDED


@compiled
def enter(game: Any, search: Search, ply: int, attacker: int, limit: int) -> int:
    """Answer the question for a position at once, or list its moves in the order in which to try them."""
    s = search.states[ply]
    if s.turn == OVER:
        return YES if s.winner == attacker else NO
    attacks = (limit - ply + (1 if s.turn == attacker else 0)) // 2
    if attacks < moves_to_explode(game, s, attacker):
        return NO
    search.keys[ply] = key_of(game, search, s)
    at = slot_of(search, search.keys[ply])
    first = -1
    if search.table[at].key == search.keys[ply]:
        if search.table[at].won_by[attacker] <= limit:
            return YES
        if search.table[at].not_by[attacker] >= limit:
            return NO
        first = int(search.table[at].move)
    order_moves(game, search, ply, first)
    return UNDECIDED


@compiled
def moves_to_explode(game: Any, s: Any, player: int) -> int:
    """The least number of moves in which a player can make a tile hexplode, without help."""
    mine = 1 - 2 * player
    least = 6
    for tile in range(game.tiles):
        if mine * s.stacks[tile] >= 0:
            least = min(least, CAPACITY[game.side, tile] - abs(s.stacks[tile]))
    return least


@compiled
def order_moves(game: Any, search: Search, ply: int, first: int) -> None:
    """List the moves: the one that answered an earlier question, then hexplosions, then the fullest tiles."""
    s, moves = search.states[ply], search.moves[ply]
    count = game.moves(s, moves)
    for i in range(1, count):
        move = moves[i]
        j = i
        while j > 0 and lack(game, s, moves[j - 1], first) > lack(game, s, move, first):
            moves[j] = moves[j - 1]
            j -= 1
        moves[j] = move
    search.counts[ply] = count
    search.tried[ply] = 0


@compiled
def lack(game: Any, s: Any, tile: int, first: int) -> int:
    """The counters that a tile lacks before it hexplodes; −1 for the move to try first."""
    return -1 if tile == first else CAPACITY[game.side, tile] - abs(s.stacks[tile])


@compiled
def key_of(game: Any, search: Search, s: Any) -> Any:
    """The least hash of the images of a position, which has as many counters as plies were played."""
    least = np.int64(WORD >> 1)
    for i in range(len(search.images)):
        total = 0
        for tile in range(game.tiles):
            total += s.stacks[tile] * HASH[search.images[i, tile]]
        least = min(least, total)
    return mixed(np.uint64(2 * (least + (1 << 60)) + s.turn))


@compiled
def slot_of(search: Search, key: Any) -> int:
    """Where a position is in the table or, if it is not, the less useful of the two entries it may replace."""
    table = search.table
    at = int(key >> 8) & len(table) - 2
    if table[at].key == key:
        return at
    if table[at + 1].key == key:
        return at + 1
    return at + 1 if table[at + 1].ply >= table[at].ply or table[at].key == 0 else at


@compiled
def note(search: Search, ply: int, attacker: int, limit: int, answer: int) -> None:
    """Remember the answer for a position, and the move that gave it."""
    table, key = search.table, search.keys[ply]
    at = slot_of(search, key)
    if table[at].key != key:
        table[at].key = key
        table[at].ply = ply
        table[at].won_by[:] = NEVER
        table[at].not_by[:] = 0
    table[at].move = search.moves[ply, search.tried[ply] - 1]
    if answer == YES:
        table[at].won_by[attacker] = limit
    else:
        table[at].not_by[attacker] = limit


def new_search(game: Any, bits: int) -> Search:
    """A search of a game, with a table of 2^bits entries."""
    plies, tiles = game.max_plies + 2, game.tiles
    return Search(
        states=np.zeros(plies, game.dtype),
        moves=np.zeros((plies, tiles), "i8"),
        counts=np.zeros(plies, "i8"),
        tried=np.zeros(plies, "i8"),
        keys=np.zeros(plies, "u8"),
        table=np.zeros(1 << bits, ENTRY),
        images=np.array([list(range(tiles)), *symmetries(game)]),
        progress=np.zeros(2, "i8"),
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--bits", type=int, default=27, help="of the number of entries in the table, 16 bytes each")
    options = parser.parse_args()
    game = kibitz.game(f"hexplode:side={options.side}")
    search = new_search(game, options.bits)
    resume(game, search, 0, 0, 0)  # compiles
    begun, before = time.process_time(), 0
    for limit in range(1, game.max_plies + 1):
        attacker = (limit - 1) % 2  # who makes the move of this ply, and so the only one who can win by it
        search.states[0] = native(Engine(game).start())
        search.progress[0] = 0
        answer = UNDECIDED
        while answer == UNDECIDED:
            answer = resume(game, search, attacker, limit, NODES)
            seconds = time.process_time() - begun
            if seconds > 60 * options.minutes:
                print(f"Stopped within {limit} plies, after {search.progress[1]:,} positions, {seconds:.0f} s.")
                return
        nodes, before = search.progress[1] - before, int(search.progress[1])
        name = ("first", "second")[attacker]
        can = "can" if answer == YES else "cannot"
        print(
            f"The {name} player {can} force a win within {limit} plies: {nodes:,} positions, {seconds:.0f} s.",
            flush=True,
        )
        if answer == YES:
            return


if __name__ == "__main__":
    main()
