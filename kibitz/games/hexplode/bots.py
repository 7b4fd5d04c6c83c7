"""Hexplode's own bots: the strongest, the classic minimax of the original server, and easier opponents.

A tile is critical when one more counter makes it hexplode.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kibitz.compiler import compiled, numbers, records
from kibitz.games.hexplode.tiles import CAPACITY, NEIGHBOURS
from kibitz.players.compiled_player import CompiledPlayer
from kibitz.rules.contract import Game

WON = (1 << 63) - 1  # the classic minimax's value of a board on which the opponent has nothing


@dataclass(frozen=True)
class Minimax3(CompiledPlayer):
    """The original server's classic: a three-ply minimax over the difference in counters; ties go to the first."""

    def memory(self, game: Game) -> tuple[Any, ...]:
        return records(4, game.dtype), numbers((2, game.max_moves), "i8")

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        if s.counters[0] + s.counters[1] < 2:
            return opening_tile(game, s)
        states, lists = memory
        states[0] = s
        choice, best = 0, -WON
        for i in range(count):
            worth = minimax(game, states, lists, moves[i], player, best)
            if worth > best:
                choice, best = i, worth
        return moves[choice]


@compiled
def opening_tile(game: Any, s: Any) -> int:
    """The third of the empty tiles with the fewest neighbours, or the last one if there are fewer than three."""
    fewest = 6
    for tile in range(game.tiles):
        if is_empty(game, s, tile):
            fewest = min(fewest, CAPACITY[game.side, tile])
    found, choice = 0, 0
    for tile in range(game.tiles):
        if found < 3 and is_empty(game, s, tile) and CAPACITY[game.side, tile] == fewest:
            choice = tile
            found += 1
    return choice


@compiled
def is_empty(game: Any, s: Any, tile: int) -> bool:
    """Whether a tile has neither counters nor damage."""
    return s.stacks[tile] == 0 and (game.damage == 0 or s.damaged[tile] == 0)


@compiled
def minimax(game: Any, states: Any, lists: Any, move: int, player: int, floor: int) -> int:
    """The value of a move from states[0] after the best reply and the best move after that.

    Exact if greater than `floor`. A side without counters has lost; the search goes no further.
    """
    states[1] = states[0]
    imagine(game, states[1], move)
    if is_settled(states[1]):
        return lead(states[1], player)
    worst = WON
    replies = game.moves(states[1], lists[0])
    for i in range(replies):
        states[2] = states[1]
        imagine(game, states[2], lists[0, i])
        best = lead(states[2], player)
        if not is_settled(states[2]):
            best = -WON
            count = game.moves(states[2], lists[1])
            for j in range(count):
                states[3] = states[2]
                imagine(game, states[3], lists[1, j])
                best = max(best, lead(states[3], player))
                if best >= worst:  # the opponent has a better reply already
                    break
        worst = min(worst, best)
        if worst <= floor:
            break
    return worst


@compiled
def imagine(game: Any, s: Any, move: int) -> None:
    """Put a counter on a tile as the classic's search does, which is not quite by the rules.

    Once a side has nothing on the board, no more counters fall, even if all of the mover's are in the air: the search
    takes the hexplosion of a player's only stack for a loss.
    """
    stacks, flying = s.stacks, s._flying
    me, opponent = s.turn, 1 - s.turn
    mine = 1 - 2 * me
    ours, theirs = s.counters[me], s.counters[opponent]
    flying[0] = move
    in_the_air = 1
    while in_the_air > 0 and ours > 0 and theirs > 0:
        in_the_air -= 1
        tile = flying[in_the_air]
        if game.damage > 0 and s.damaged[tile] > 0:
            s.damaged[tile] -= 1
            continue
        stack = abs(stacks[tile]) + 1
        ours += 1
        if mine * stacks[tile] < 0:
            ours += stack - 1
            theirs -= stack - 1
        if stack == CAPACITY[game.side, tile]:
            for direction in range(stack):
                flying[in_the_air + direction] = NEIGHBOURS[game.side, tile, stack - 1 - direction]
            in_the_air += stack
            ours -= stack
            stack = 0
        stacks[tile] = mine * stack
    s.counters[me], s.counters[opponent] = ours, theirs
    s.turn = opponent


@compiled
def is_settled(s: Any) -> bool:
    return s.counters[0] == 0 or s.counters[1] == 0


@compiled
def lead(s: Any, player: int) -> int:
    """A player's lead in counters; ±WON if one side has none."""
    if s.counters[1 - player] == 0:
        return WON
    if s.counters[player] == 0:
        return -WON
    return s.counters[player] - s.counters[1 - player]


@dataclass(frozen=True)
class Hugger(CompiledPlayer):
    """Fills the tiles with the fewest neighbours: corners first, then the edges."""

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        choice = moves[0]
        for i in range(1, count):
            if comes_first(game, s, moves[i], choice):
                choice = moves[i]
        return choice


@compiled
def comes_first(game: Any, s: Any, tile: int, other: int) -> bool:
    """Whether a tile has fewer neighbours than another, or equally many and more counters."""
    here, there = CAPACITY[game.side, tile], CAPACITY[game.side, other]
    return here < there or (here == there and abs(s.stacks[tile]) > abs(s.stacks[other]))


@dataclass(frozen=True)
class Sentry(CompiledPlayer):
    """Strikes with its own critical tiles at critical tiles of the opponent, and otherwise keeps away from them."""

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        choice, best = moves[0], -1
        for i in range(count):
            tile = moves[i]
            critical = is_critical(game, s, tile)
            threats = threats_to(game, s, tile, player)
            # In this order: strike first; build up unthreatened, where neighbours are few; strike at nothing; build up
            # under threat.
            if threats and critical:
                worth = 1000 + threats
            elif not threats and not critical:
                worth = 100 - 10 * CAPACITY[game.side, tile] + abs(s.stacks[tile])
            else:
                worth = 10 if critical else 0
            if worth > best:
                choice, best = tile, worth
        return choice


@compiled
def is_critical(game: Any, s: Any, tile: int) -> bool:
    return abs(s.stacks[tile]) == CAPACITY[game.side, tile] - 1


@compiled
def threats_to(game: Any, s: Any, tile: int, player: int) -> int:
    """The number of the opponent's critical tiles next to a tile."""
    threats = 0
    for direction in range(CAPACITY[game.side, tile]):
        other = NEIGHBOURS[game.side, tile, direction]
        theirs = s.stacks[other] < 0 if player == 0 else s.stacks[other] > 0
        threats += theirs and is_critical(game, s, other)
    return threats


BOTS = {
    "best": "alphabeta:nodes=300000,order=mixed,late=3,quiet=8,table=17",
    "minimax3": Minimax3,
    "sentry": Sentry,
    "hugger": Hugger,
}
CHANCE_SCALE = 1.3  # measured by benchmarks/chances.py
LEVELS = {
    "casual": ("hugger", "Fills the corners, then the edges, and does not see you coming."),
    "strong": ("minimax3", "Looks three moves ahead, like the original's minimax."),
    "best": ("best", "Searches deep, through all the chain reactions."),
}
