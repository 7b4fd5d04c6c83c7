"""The strongest player: it deals the hidden tiles many times, and plays each move on to the end of the round.

Deals are drawn by how well they explain what the others have laid, and so are the habits by which these play on
(inference.py); the player itself goes on as `keen` (keen.py). All moves are tried with the same deals and the same
luck. A round that has ended is worth the chance to win the match from there: results of rounds among equal players are
added to the points again and again, until somebody reaches the target. Moves that are clearly worse than the best one
leave the race (Maron and Moore, 1994): where the choice is plain, it takes few deals.
"""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

from kibitz.bots import Report, Searcher
from kibitz.compiled import compiled, mode, native, numbers, records
from kibitz.engine import Engine
from kibitz.errors import SpecError
from kibitz.game import CHANCE
from kibitz.games.mexican_train.habits import AI2, KEEN, SHED, move_by
from kibitz.games.mexican_train.inference import Past, begin_chain, change_places, draw_habits, new_past, recall
from kibitz.games.mexican_train.knowledge import take_up
from kibitz.games.mexican_train.rules import COUNTING, MOST_PLAYERS
from kibitz.games.mexican_train.sequences import QUICK_STEPS, Planner, new_planner
from kibitz.games.mexican_train.tiles import count_pips, list_tiles
from kibitz.rng import Stream, below
from kibitz.search.budget import allowance, spend
from kibitz.search.sums import best_first, ranked
from kibitz.table import View

USUAL_DEALS = 2400
LAP, CLEARLY = 50, 2.5  # every so many deals, moves worse by so many standard errors leave the race
RESULTS = 4096  # rounds whose results are kept
FUTURES, APART = 16, 8  # matches played on for each round that has ended, each with results so far apart
CHAIN, BURN_IN, BETWEEN = 50, 100, 10  # deals of a Markov chain; changes before the first of them, and between two


class Desk(NamedTuple):
    """The position, its legal moves, what they came to, and work space."""

    states: Any  # [the position as the player sees it, a deal, the position of a playout, the deal of the chain]
    legal: Any
    worth: Any
    visits: Any
    share: Any  # what the present deal gave each
    products: Any  # [move, move]: sums of the products of their shares
    alive: Any  # [how many are still in the race]: those come first
    luck: Any  # with which all moves go on from a deal
    order: Any  # in which its boneyard is drawn, whichever the move
    chain: Any  # [deals so far, places of others, all places]
    moves: Any
    points: Any
    habit: Any  # of each player in the playouts
    results: Any
    planner: Planner
    past: Past


def new_desk(game: Any, results: Any) -> Desk:
    return Desk(
        states=records(4, game.dtype),
        legal=numbers(game.max_moves, "i8"),
        worth=numbers(game.max_moves, "f8"),
        visits=numbers(game.max_moves, "i8"),
        share=numbers(game.max_moves, "f8"),
        products=numbers((game.max_moves, game.max_moves), "f8"),
        alive=numbers(1, "i8"),
        luck=numbers(2, "u8"),
        order=numbers(game.tiles, "i8"),
        chain=numbers(3, "i8"),
        moves=numbers(game.max_moves, "i8"),
        points=numbers((2, MOST_PLAYERS), "i8"),
        habit=numbers(MOST_PLAYERS, "i8"),
        results=results,
        planner=new_planner(),
        past=new_past(game),
    )


@compiled
def try_moves(game: Any, desk: Desk, player: int, deals: int, infer: bool, match: bool, rng: Any) -> int:
    """Try the moves still in the race with so many deals more; return how many it took until only one was left."""
    states, alive = desk.states, desk.alive
    for done in range(deals):
        if alive[0] == 1 and desk.visits[0] >= LAP:
            return done
        if infer:
            deal_likely(game, desk, player, rng)
        else:
            states[1] = states[0]
            game.redeal(states[1], player, rng)
        shuffle_boneyard(states[1], desk.order, rng)
        future = below(rng, RESULTS)
        desk.luck[:] = rng[:]
        for choice in range(alive[0]):
            rng[:] = desk.luck[:]
            states[2] = states[1]
            s = states[2]
            game.play(s, desk.legal[choice])
            finish_round(game, s, desk, rng)
            share = chance_to_win(game, s, desk, player, future, match)
            desk.share[choice] = share
            desk.worth[choice] += share
            desk.visits[choice] += 1
            for other in range(choice + 1):
                desk.products[other, choice] += share * desk.share[other]
                desk.products[choice, other] = desk.products[other, choice]
        if desk.visits[0] % LAP == 0:
            drop_clearly_worse(desk)
    return deals


@compiled
def drop_clearly_worse(desk: Desk) -> None:
    """Take the moves out of the race that the same deals show to be worse than the best one."""
    best = 0
    for choice in range(desk.alive[0]):
        if desk.worth[choice] > desk.worth[best]:
            best = choice
    exchange(desk, 0, best)
    n, products = desk.visits[0], desk.products
    for choice in range(desk.alive[0] - 1, 0, -1):
        behind = (desk.worth[0] - desk.worth[choice]) / n
        variance = (products[0, 0] + products[choice, choice] - 2.0 * products[0, choice]) / n - behind * behind
        if n * behind * behind >= CLEARLY * CLEARLY * variance:
            desk.alive[0] -= 1
            exchange(desk, choice, desk.alive[0])


@compiled
def exchange(desk: Desk, a: int, b: int) -> None:
    """Let two moves change places."""
    for counts in (desk.legal, desk.visits):
        counts[a], counts[b] = counts[b], counts[a]
    desk.worth[a], desk.worth[b] = desk.worth[b], desk.worth[a]
    products = desk.products
    for other in range(len(products)):
        products[a, other], products[b, other] = products[b, other], products[a, other]
    for other in range(len(products)):
        products[other, a], products[other, b] = products[other, b], products[other, a]


@compiled
def deal_likely(game: Any, desk: Desk, player: int, rng: Any) -> None:
    """Deal by what the others' moves say, and draw the habits by which they play on."""
    states, chain = desk.states, desk.chain
    if chain[0] % CHAIN == 0:
        states[3] = states[0]
        chain[1], chain[2] = begin_chain(game, states[3], desk.past, player, rng)
        change_places(game, states[3], desk.past, chain[1], chain[2], BURN_IN, rng)
    else:
        change_places(game, states[3], desk.past, chain[1], chain[2], BETWEEN, rng)
    chain[0] += 1
    states[1] = states[3]
    take_up(states[1], chain[1], chain[2])
    draw_habits(game, desk.past, player, desk.habit, rng)


@compiled
def shuffle_boneyard(s: Any, order: Any, rng: Any) -> None:
    """Decide in which order the tiles of the boneyard are drawn."""
    for i in range(list_tiles(s.bones, order)):
        j = below(rng, i + 1)
        order[i], order[j] = order[j], order[i]


@compiled
def finish_round(game: Any, s: Any, desk: Desk, rng: Any) -> None:
    """Play a round on until the hands are counted, each player by its habit."""
    moves, drawn = desk.moves, 0
    while s.phase != COUNTING:
        if s.turn == CHANCE:
            game.play(s, desk.order[drawn])
            drawn += 1
        else:
            count = game.moves(s, moves)
            habit = desk.habit[s.turn]
            game.play(s, move_by(habit, game, s, moves, count, desk.planner, QUICK_STEPS, rng))


@compiled
def chance_to_win(game: Any, s: Any, desk: Desk, player: int, future: int, match: bool) -> float:
    """A player's share of the matches that go on after a round, or of the round alone.

    Rounds with the same future go on with the same luck.
    """
    total = 0.0
    points, now = desk.points[0], desk.points[1]
    for p in range(game.players):
        now[p] = count_pips(s.hand[p]) + (s.points[p] if match else 0)
    for i in range(FUTURES):
        points[:] = now
        place = future + APART * i
        rounds = s.round + 1
        while match and rounds < game.most_rounds and most_of(points, game.players) < game.target:
            for p in range(game.players):
                points[p] += desk.results[place % RESULTS, (p + place) % game.players]
            place += 1
            rounds += 1
        total += share_of(points, game.players, player)
    return total / FUTURES


@compiled
def most_of(points: Any, players: int) -> int:
    most = 0
    for p in range(players):
        most = max(most, points[p])
    return most


@compiled
def share_of(points: Any, players: int, player: int) -> float:
    """A player's share of the win, which goes to the fewest points."""
    fewer = same = 0
    for p in range(players):
        fewer += points[p] < points[player]
        same += points[p] == points[player]
    return 1.0 / same if fewer == 0 else 0.0


@compiled
def sample_rounds(game: Any, desk: Desk, opening: Any, rng: Any) -> None:
    """Play rounds from the deal on, and note what each player is left with."""
    for i in range(RESULTS):
        desk.states[2] = opening[0]
        s = desk.states[2]
        shuffle_boneyard(s, desk.order, rng)
        finish_round(game, s, desk, rng)
        for p in range(game.players):
            desk.results[i, p] = count_pips(s.hand[p])


def round_results(game: Any) -> Any:
    """The pips left in the hands after many rounds of equal players."""
    return _round_results(game, mode())


@functools.lru_cache(maxsize=32)
def _round_results(game: Any, mode: str) -> Any:
    results = numbers((RESULTS, MOST_PLAYERS), "i8")
    opening = records(1, game.dtype)
    opening[0] = native(Engine(game).start())
    sample_rounds(game, new_desk(game, results), opening, Stream("results of rounds").words)
    return results


@dataclass
class Best(Searcher):
    """Deals the hidden tiles by what the others' moves say, plays each move on, and takes what wins most matches."""

    deals: int = 0  # a move, at most; 2400 when neither deals nor ms is given
    ms: int = 0  # milliseconds a move
    infer: bool = True  # draw deals and habits by what the others have laid; no: any deal, and all others play as ai2
    keen: bool = True  # play on as keen does; no: as shed does
    match: bool = True  # count matches won; no: rounds

    def __post_init__(self) -> None:
        if min(self.deals, self.ms) < 0:
            raise SpecError("best needs deals and ms of at least 0.")

    def analyse(self, view: View) -> Report:
        start = time.perf_counter()
        game, count = view.game, len(view.moves)
        desk = new_desk(game, round_results(game))
        desk.states[0] = native(view.state)
        desk.legal[:count] = view.moves
        desk.alive[0] = count
        desk.habit[:] = AI2
        desk.habit[view.player] = KEEN if self.keen else SHED
        self._remember(view, desk.past)
        deals, ms = allowance(self.deals, self.ms, view.time, usual=USUAL_DEALS)

        def work(n: int) -> int:
            return try_moves(game, desk, view.player, n, self.infer, self.match, view.rng.words)

        spend(work, deals, ms)
        best_first(desk, int(desk.alive[0]))
        moves = ranked(desk, count)
        return Report(moves, sum(move.visits for move in moves), "playouts", 1, time.perf_counter() - start)

    def _remember(self, view: View, past: Past) -> None:
        turns, moves = (numbers(len(view.history), "i8") for _ in range(2))
        for i, ply in enumerate(view.history):
            turns[i], moves[i] = ply
        recall(view.game, past, native(view.state), turns, moves, view.player)
