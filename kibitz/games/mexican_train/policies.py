"""Players with simple policies: all plan the best sequence for their own train, and differ in what they lay first.

`ai2` lays the sequence at once; `shed` gets rid of its other tiles while it can, and keeps the sequence for later;
`keen` weighs one against the other, and what the others could lay (keen_weights.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kibitz.compiler import compiled
from kibitz.games.mexican_train.keen_weights import LEARNED, count_unseen, fewest_tiles, worth_of
from kibitz.games.mexican_train.redeal import NONE
from kibitz.games.mexican_train.rules import SAUCE, TRAINS
from kibitz.games.mexican_train.sequences import Planner, new_planner, plan
from kibitz.games.mexican_train.tiles import HALVES, PIPS, SIZE, is_double, other_half
from kibitz.players.compiled_player import CompiledPlayer
from kibitz.players.options import option
from kibitz.rules.rng import below

STEPS = 20_000  # limit of the search for the best sequence; hands of up to 15 tiles need fewer
LOST_DOUBLE = 12  # deducted for a double whose gate its player could not open

SHED, AI2, RANDOM, KEEN = 0, 1, 2, 3  # policies by number


class Planned(CompiledPlayer):
    """The base of players that plan a sequence."""

    def memory(self, game: Any) -> tuple[Any, ...]:
        return (new_planner(),)


@dataclass(frozen=True)
class Ai2(Planned):
    """Lays its best sequence on its own train, unless it can block another player's."""

    gates: bool = option(True)  # open gates with the sequence in mind; no: at random

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        at_random = s.gate != NONE and not self.gates
        return move_by(RANDOM if at_random else AI2, game, s, moves, count, memory[0], STEPS, rng)


@dataclass(frozen=True)
class Shed(Planned):
    """Gets rid of the tiles its best sequence does not need, high ones first, and keeps the sequence for later."""

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        return move_by(SHED, game, s, moves, count, memory[0], STEPS, rng)


@dataclass(frozen=True)
class Keen(Planned):
    """Weighs the pros and cons of each move, as learned from games."""

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        return move_by(KEEN, game, s, moves, count, memory[0], STEPS, rng)


@compiled
def move_by(policy: int, game: Any, s: Any, moves: Any, count: int, planner: Planner, steps: int, rng: Any) -> int:
    """The move of the player to act by a policy; the search for its sequence takes at most `steps` steps."""
    player = s.turn
    if count == 1:
        return moves[0]
    if policy == RANDOM:
        return moves[below(rng, count)]
    plan(planner, player, s.hand[player], s.end[player], steps)
    if policy == AI2:
        return ai2_move(game, s, moves, count, player, planner)
    if policy == SHED:
        return shed_move(game, s, moves, count, player, planner)
    return keen_move(game, s, moves, count, player, planner)


@compiled
def ai2_move(game: Any, s: Any, moves: Any, count: int, player: int, planner: Planner) -> int:
    """The move of `ai2`, whose sequence is up to date."""
    if s.gate != NONE:
        return gate_move(s, moves, count, player, planner)
    block = best_block(game, s, moves, count, player, planner)
    if block != NONE:
        return block
    if planner.begin[player] < planner.length[player]:
        return first_of_sequence(planner, player)
    on_sauce = highest(moves, count, 1 << SAUCE)
    return on_sauce if on_sauce != NONE else highest(moves, count, -1)


@compiled
def shed_move(game: Any, s: Any, moves: Any, count: int, player: int, planner: Planner) -> int:
    """The move of `shed`, whose sequence is up to date."""
    if s.gate != NONE:
        return gate_move(s, moves, count, player, planner)
    has_sequence = planner.begin[player] < planner.length[player]
    if has_sequence and s.open >> player & 1:
        return first_of_sequence(planner, player)
    spare = best_spare(s, moves, count, player, planner)
    if spare == NONE:
        return first_of_sequence(planner, player) if has_sequence else highest(moves, count, -1)
    if has_sequence and fewest_tiles(game, s, player) < 2:
        first = first_of_sequence(planner, player)
        if PIPS[first // TRAINS] > PIPS[spare // TRAINS]:
            return first
    return spare


@compiled
def keen_move(game: Any, s: Any, moves: Any, count: int, player: int, planner: Planner) -> int:
    """The move of `keen`, whose sequence is up to date."""
    best, most = NONE, 0.0
    for i in range(count):
        worth = worth_of(game, s, moves[i], player, planner, LEARNED)
        if best == NONE or worth > most:
            best, most = moves[i], worth
    return best


@compiled
def first_of_sequence(planner: Planner, player: int) -> int:
    """The move that lays the next tile of the sequence on one's own train."""
    return TRAINS * planner.tiles[player, planner.begin[player]] + player


@compiled
def is_in_sequence(planner: Planner, player: int, tile: int) -> bool:
    found = False
    for place in range(planner.begin[player], planner.length[player]):
        found |= planner.tiles[player, place] == tile
    return found


@compiled
def highest(moves: Any, count: int, trains: int) -> int:
    """The move that lays the most pips on one of the trains, given as bits; NONE if there is none."""
    best, most = NONE, -1
    for i in range(count):
        pips = PIPS[moves[i] // TRAINS]
        if trains >> moves[i] % TRAINS & 1 and pips > most:
            best, most = moves[i], pips
    return best


@compiled
def gate_move(s: Any, moves: Any, count: int, player: int, planner: Planner) -> int:
    """Open a gate: on one's own train with the sequence, elsewhere with the highest tile that it does not need."""
    if s.gate == player and planner.begin[player] < planner.length[player]:
        return first_of_sequence(planner, player)
    best, most = NONE, -1
    for i in range(count):
        tile = moves[i] // TRAINS
        if PIPS[tile] > most and not is_in_sequence(planner, player, tile):
            best, most = moves[i], PIPS[tile]
    return best if best != NONE else highest(moves, count, -1)


@compiled
def best_spare(s: Any, moves: Any, count: int, player: int, planner: Planner) -> int:
    """The highest tile for another train that the sequence does not need; NONE if there is none."""
    best, most = NONE, -LOST_DOUBLE - 1
    for i in range(count):
        tile, train = moves[i] // TRAINS, moves[i] % TRAINS
        if train != player and not is_in_sequence(planner, player, tile):
            worth = PIPS[tile]
            if is_double(tile) and SIZE[s.hand[player, HALVES[tile, 0]]] == 1:
                worth -= LOST_DOUBLE
            if worth > most:
                best, most = moves[i], worth
    return best


@compiled
def best_block(game: Any, s: Any, moves: Any, count: int, player: int, planner: Planner) -> int:
    """The highest tile for another's open train that the sequence does not need and that nobody else can follow."""
    best, most = NONE, -1
    for i in range(count):
        tile, train = moves[i] // TRAINS, moves[i] % TRAINS
        if train != player and train != SAUCE and PIPS[tile] > most:
            nobody_can_follow = count_unseen(game, s, player, other_half(tile, s.end[train])) == 0
            if nobody_can_follow and not is_in_sequence(planner, player, tile):
                best, most = moves[i], PIPS[tile]
    return best
