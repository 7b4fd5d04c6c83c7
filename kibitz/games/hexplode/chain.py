"""A chain of hexplosions wave by wave, to be animated.

The rules drop one counter at a time. Here all full tiles hexplode at once, which takes fewer pictures and leads to the
same board unless the game ends on the way (see rules.py). With damage, it can depend on the order whether it does, so
that the rules are asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kibitz.games.hexplode.tiles import neighbours
from kibitz.rules.engine import Engine
from kibitz.state import State


class Wave(NamedTuple):
    state: State  # after the wave
    bursts: list[int]  # the tiles that hexploded …
    landed: list[tuple[int, int]]  # … and their counters that landed: from which tile, on which tile


def waves(game: Any, s: State, move: int) -> Iterator[Wave]:
    """The waves of a move; the first one only places the counter."""
    after = s.copy()
    mine = 1 - 2 * s.turn
    _fall(game, after, move, mine)
    yield Wave(after, [], [])
    near = neighbours(game.side)
    bursts = _full_tiles(game, after)
    may_win = game.damage == 0 or (bool(bursts) and _wins(game, s, move))
    while bursts and not (may_win and _has_all(after, mine)):
        after = after.copy()
        landed = []
        for tile in bursts:
            after.stacks[tile] = mine * (abs(after.stacks[tile]) - len(near[tile]))
        for tile in bursts:
            landed += [(tile, other) for other in near[tile] if _fall(game, after, other, mine)]
        yield Wave(after, bursts, landed)
        bursts = _full_tiles(game, after)


def _full_tiles(game: Any, s: State) -> list[int]:
    return [tile for tile, near in enumerate(neighbours(game.side)) if abs(s.stacks[tile]) >= len(near)]


def _wins(game: Any, s: State, move: int) -> bool:
    """Whether the mover wins with this move, by the rules."""
    after = s.copy()
    Engine(game).play(after, move)
    return after.winner == s.turn


def _fall(game: Any, s: State, tile: int, mine: int) -> bool:
    """Drop a counter on a tile; return whether it stays there."""
    if game.damage > 0 and s.damaged[tile] > 0:
        s.damaged[tile] -= 1
        return False
    s.stacks[tile] = mine * (abs(s.stacks[tile]) + 1)
    return True


def _has_all(s: State, mine: int) -> bool:
    """Whether the mover has all counters, and they are more than two."""
    stacks = s.stacks.tolist()
    return sum(map(abs, stacks)) > 2 and all(mine * stack >= 0 for stack in stacks)
