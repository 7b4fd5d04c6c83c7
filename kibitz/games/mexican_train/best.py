"""The strongest player: it deals the hidden tiles many times, plays each move on to the end of the round, and counts
in how many matches that would win."""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

from kibitz.bots import Ranked, Report, Searcher
from kibitz.compiled import compiled, native, numbers, records
from kibitz.engine import Engine
from kibitz.errors import SpecError
from kibitz.game import CHANCE, OVER
from kibitz.games.mexican_train.habits import ai2_move, shed_move
from kibitz.games.mexican_train.knowledge import NONE, fits_place, place_tiles, take_up
from kibitz.games.mexican_train.rules import COUNTING, MOST_PLAYERS, TRAINS
from kibitz.games.mexican_train.sequences import Planner, new_planner, plan
from kibitz.games.mexican_train.tiles import HALVES, count_pips, is_double, other_half
from kibitz.rng import Stream, below, uniform
from kibitz.search.budget import allowance, spend
from kibitz.table import View

STEPS = 300
RESULTS = 4096
CONTINUATIONS = 16


class Desk(NamedTuple):
    states: Any
    legal: Any
    worth: Any
    visits: Any
    luck: Any
    moves: Any
    points: Any
    habit: Any
    results: Any
    planner: Planner
    doubt: Any
    closed_declined: Any
    open_declined: Any
    order: Any
    end: Any


def new_desk(game: Any, results: Any) -> Desk:
    return Desk(
        states=records(3, game.dtype),
        legal=numbers(game.max_moves, "i8"),
        worth=numbers(game.max_moves, "f8"),
        visits=numbers(game.max_moves, "i8"),
        luck=numbers(2, "u8"),
        moves=numbers(game.max_moves, "i8"),
        points=numbers((2, MOST_PLAYERS), "i8"),
        habit=numbers(MOST_PLAYERS, "i8"),
        results=results,
        planner=new_planner(),
        doubt=numbers(2, "f8"),
        closed_declined=numbers((MOST_PLAYERS, 13), "i8"),
        open_declined=numbers((MOST_PLAYERS, 13), "i8"),
        order=numbers(game.tiles, "i8"),
        end=numbers(TRAINS, "i8"),
    )


@compiled
def try_moves(game: Any, desk: Desk, alive: int, player: int, deals: int, rng: Any) -> int:
    states = desk.states
    for _ in range(deals):
        states[1] = states[0]
        deal_likely(game, states[1], player, desk, rng)
        future = below(rng, RESULTS)
        desk.luck[:] = rng[:]
        for choice in range(alive):
            rng[:] = desk.luck[:]
            states[2] = states[1]
            s = states[2]
            game.play(s, desk.legal[choice])
            finish_round(game, s, desk, rng)
            desk.worth[choice] += chance_to_win(game, s, desk, player, future)
            desk.visits[choice] += 1
    return deals


@compiled
def deal_likely(game: Any, s: Any, player: int, desk: Desk, rng: Any) -> None:
    held, places = place_tiles(game, s, player, rng)
    if desk.doubt[0] < 1.0:
        for _ in range(100 + 4 * held):
            a = below(rng, held)
            b = below(rng, places)
            x, y = s._tile[a], s._tile[b]
            if fits_place(s, x, b) and fits_place(s, y, a):
                before = suspicion(s, desk, x, a) * suspicion(s, desk, y, b)
                after = suspicion(s, desk, x, b) * suspicion(s, desk, y, a)
                if after >= before or uniform(rng) * before < after:
                    s._tile[a], s._tile[b] = y, x
    take_up(s, held, places)


@compiled
def suspicion(s: Any, desk: Desk, tile: int, place: int) -> float:
    owner = s._owner[place]
    odds = 1.0
    if owner >= 0 and s.by[tile] == NONE:
        for side in range(2):
            number = HALVES[tile, side]
            if s._draw[place] <= desk.closed_declined[owner, number]:
                odds *= desk.doubt[0]
            if s._draw[place] <= desk.open_declined[owner, number]:
                odds *= desk.doubt[1]
    return odds


@compiled
def note_declined(game: Any, s: Any, desk: Desk) -> None:
    """Find out from the tiles laid who could have gone on with its own train and did not."""
    desk.closed_declined[:] = -1
    desk.open_declined[:] = -1
    order, end = desk.order, desk.end
    for tile in range(game.tiles):
        if s.nth[tile] > 0:
            order[s.nth[tile] - 1] = tile
    end[:] = game.highest
    gate = False
    for i in range(s.count):
        tile = order[i]
        player, train = s.by[tile], s.train[tile]
        if not gate and train != player and s.until[tile] > s.after[tile]:
            desk.closed_declined[player, end[player]] = s.until[tile]
        end[train] = other_half(tile, end[train])
        gate = is_double(tile)


@compiled
def finish_round(game: Any, s: Any, desk: Desk, rng: Any) -> None:
    """Play a round on until the hands are counted, each player by its habit."""
    moves = desk.moves
    while s.phase != COUNTING:
        if s.turn == CHANCE:
            game.play(s, game.sample(s, rng))
        else:
            count = game.moves(s, moves)
            move = moves[0]
            if count > 1:
                player = s.turn
                plan(desk.planner, player, s.hand[player], s.end[player], STEPS)
                if desk.habit[player] == 0:
                    move = shed_move(game, s, moves, count, player, desk.planner)
                elif desk.habit[player] == 1:
                    move = ai2_move(game, s, moves, count, player, desk.planner)
                else:
                    move = moves[below(rng, count)]
            game.play(s, move)


@compiled
def chance_to_win(game: Any, s: Any, desk: Desk, player: int, future: int) -> float:
    """What a player's hand at the end of a round is worth: its share of matches played on with results of rounds.

    The same future gives the same results.
    """
    total = 0.0
    players = game.players
    points, before = desk.points[0], desk.points[1]
    for p in range(players):
        before[p] = s.points[p] + count_pips(s.hand[p])
    for continuation in range(CONTINUATIONS):
        most = 0
        for p in range(players):
            points[p] = before[p]
            most = max(most, points[p])
        rounds = s.round + 1
        place = future + 8 * continuation
        while most < game.target and rounds < game.most_rounds:
            result = desk.results[place % RESULTS]
            for p in range(players):
                points[p] += result[(p + place) % players]
                most = max(most, points[p])
            rounds += 1
            place += 1
        fewer = same = 0
        for p in range(players):
            fewer += points[p] < points[player]
            same += points[p] == points[player]
        if fewer == 0:
            total += 1.0 / same
    return total / CONTINUATIONS


@compiled
def sample_rounds(game: Any, desk: Desk, opening: Any, rng: Any) -> None:
    """Play rounds from the deal on, and note what each player is left with."""
    for i in range(len(desk.results)):
        desk.states[2] = opening[0]
        s = desk.states[2]
        finish_round(game, s, desk, rng)
        for p in range(game.players):
            desk.results[i, p] = count_pips(s.hand[p])


@functools.lru_cache(maxsize=32)
def round_results(game: Any) -> Any:
    """The pips left in the hands after many rounds of `shed`."""
    results = numbers((RESULTS, MOST_PLAYERS), "i8")
    opening = records(1, game.dtype)
    opening[0] = native(Engine(game).start())
    sample_rounds(game, new_desk(game, results), opening, Stream("results of rounds").words)
    return results


@dataclass
class Best(Searcher):
    """Deals the hidden tiles many times, plays each move on, and takes the one that wins most matches."""

    deals: int = 100
    ms: int = 0
    habit: int = 0
    doubt: float = 1.0
    doubt2: float = 1.0

    def __post_init__(self) -> None:
        if min(self.deals, self.ms) < 0:
            raise SpecError("best needs deals and ms of at least 0.")

    def analyse(self, view: View) -> Report:
        start = time.perf_counter()
        game, count = view.game, len(view.moves)
        desk = new_desk(game, round_results(game))
        desk.states[0] = native(view.state)
        desk.legal[:count] = view.moves
        desk.habit[:] = self.habit
        desk.habit[view.player] = 0
        desk.doubt[0] = self.doubt
        desk.doubt[1] = self.doubt2
        note_declined(game, native(view.state), desk)
        deals, ms = allowance(self.deals, self.ms, view.time, usual=100)

        def run(n: int) -> int:
            return try_moves(game, desk, count, view.player, n, view.rng.words)

        work = spend(run, deals, ms) * count
        moves = [
            Ranked(int(desk.legal[i]), float(desk.worth[i] / max(desk.visits[i], 1)), int(desk.visits[i]), line=(int(desk.legal[i]),))
            for i in range(count)
        ]
        moves.sort(key=lambda m: -m.value)
        return Report(tuple(moves), work, "simulations", 1, time.perf_counter() - start)
