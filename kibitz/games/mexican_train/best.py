"""The strongest player: it deals the hidden tiles many times, and plays each move out to the end of the round.

Deals are drawn by how well they explain what the others have laid, and so are the policies by which the others play on
(inference.py); the player itself goes on as `keen` (keen_weights.py). All moves are tried with the same deals and the
same luck. The value of a finished round is the probability of winning the match from there: results of rounds against
opponents with those policies are added to the points until somebody reaches the target. Moves that are clearly worse
than the best one leave the race (Maron and Moore, 1994): an easy choice takes few deals.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from kibitz.compiler import compiled, mode, native, numbers, records, running_time
from kibitz.games.mexican_train.inference import (
    POLICIES,
    Past,
    begin_chain,
    change_places,
    draw_policies,
    expect_alike,
    new_past,
    recall,
)
from kibitz.games.mexican_train.policies import AI2, KEEN, SHED, move_by
from kibitz.games.mexican_train.redeal import fill_hands
from kibitz.games.mexican_train.rules import COUNTING, MOST_PLAYERS
from kibitz.games.mexican_train.sequences import QUICK_STEPS, Planner, new_planner
from kibitz.games.mexican_train.tiles import count_pips, list_tiles
from kibitz.players.bot import Report, Searcher
from kibitz.players.limit import Clock, Limit, spend
from kibitz.players.options import option
from kibitz.rules.contract import CHANCE
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream, below
from kibitz.search.move_averages import best_first, ranked
from kibitz.search.option_bounds import PUBLIC_MS
from kibitz.table import View

LAP, CLEARLY = 50, 2.5  # every LAP deals, moves worse by CLEARLY standard errors leave the race
RESULTS = 1024  # rounds whose results are kept, for each seat and policy of the others
FUTURES, APART = 16, 8  # continuations of the match after a finished round, and how far apart their results are
LAST_ROUNDS = 5  # how many earlier rounds show the others' habits
BURN_IN, BETWEEN = 3000, 10  # exchanges of the Markov chain before the first deal, and between two


class DealRace(NamedTuple):
    """The position, its legal moves, their results, and scratch space."""

    states: Any  # [the position as the player sees it, a deal, the position of a playout, the deal of the chain]
    legal: Any
    worth: Any
    visits: Any
    share: Any  # of each move, with the current deal
    products: Any  # [move, move]: sums of the products of their shares
    alive: Any  # [how many are still in the race]: those come first
    luck: Any  # the random numbers with which all moves go on from a deal
    order: Any  # in which the boneyard of a deal is drawn, whatever the move
    chain: Any  # [places of others, all places; 0 before the first deal]
    moves: Any
    points: Any
    policy: Any  # of each player in the playouts
    results: Any
    planner: Planner
    past: Past


def new_race(game: Any, results: Any) -> DealRace:
    return DealRace(
        states=records(4, game.dtype),
        legal=numbers(game.max_moves, "i8"),
        worth=numbers(game.max_moves, "f8"),
        visits=numbers(game.max_moves, "i8"),
        share=numbers(game.max_moves, "f8"),
        products=numbers((game.max_moves, game.max_moves), "f8"),
        alive=numbers(1, "i8"),
        luck=numbers(2, "u8"),
        order=numbers(game.tiles, "i8"),
        chain=numbers(2, "i8"),
        moves=numbers(game.max_moves, "i8"),
        points=numbers((2, MOST_PLAYERS), "i8"),
        policy=numbers(MOST_PLAYERS, "i8"),
        results=results,
        planner=new_planner(),
        past=new_past(game),
    )


@compiled
def try_moves(game: Any, race: DealRace, player: int, deals: int, infer: bool, match: bool, rng: Any) -> int:
    """Try the moves still in the race with up to `deals` more deals; return how many it took to leave only one."""
    states, alive = race.states, race.alive
    for done in range(deals):
        if alive[0] == 1 and race.visits[0] >= LAP:
            return done
        if infer:
            deal_likely(game, race, player, rng)
        else:
            states[1] = states[0]
            game.redeal(states[1], player, rng)
        shuffle_boneyard(states[1], race.order, rng)
        future = below(rng, RESULTS)
        race.luck[:] = rng[:]
        for choice in range(alive[0]):
            rng[:] = race.luck[:]
            states[2] = states[1]
            s = states[2]
            game.play(s, race.legal[choice])
            finish_round(game, s, race, rng)
            share = chance_to_win(game, s, race, player, future, match)
            race.share[choice] = share
            race.worth[choice] += share
            race.visits[choice] += 1
            for other in range(choice + 1):
                race.products[other, choice] += share * race.share[other]
                race.products[choice, other] = race.products[other, choice]
        if race.visits[0] % LAP == 0:
            drop_clearly_worse(race)
    return deals


@compiled
def drop_clearly_worse(race: DealRace) -> None:
    """Drop the moves that the same deals show to be clearly worse than the best one."""
    best = 0
    for choice in range(race.alive[0]):
        if race.worth[choice] > race.worth[best]:
            best = choice
    exchange(race, 0, best)
    n, products = race.visits[0], race.products
    for choice in range(race.alive[0] - 1, 0, -1):
        behind = (race.worth[0] - race.worth[choice]) / n
        variance = (products[0, 0] + products[choice, choice] - 2.0 * products[0, choice]) / n - behind * behind
        if n * behind * behind >= CLEARLY * CLEARLY * variance:
            race.alive[0] -= 1
            exchange(race, choice, race.alive[0])


@compiled
def exchange(race: DealRace, a: int, b: int) -> None:
    """Exchange the places of two moves."""
    for counts in (race.legal, race.visits):
        counts[a], counts[b] = counts[b], counts[a]
    race.worth[a], race.worth[b] = race.worth[b], race.worth[a]
    products = race.products
    for other in range(len(products)):
        products[a, other], products[b, other] = products[b, other], products[a, other]
    for other in range(len(products)):
        products[other, a], products[other, b] = products[other, b], products[other, a]


@compiled
def deal_likely(game: Any, race: DealRace, player: int, rng: Any) -> None:
    """Draw a deal that explains the others' moves, and the policies by which they play on."""
    states, chain = race.states, race.chain
    if chain[1] == 0:
        states[3] = states[0]
        chain[0], chain[1] = begin_chain(game, states[3], race.past, player, rng)
        change_places(game, states[3], race.past, chain[0], chain[1], BURN_IN, rng)
    else:
        change_places(game, states[3], race.past, chain[0], chain[1], BETWEEN, rng)
    states[1] = states[3]
    fill_hands(states[1], chain[0], chain[1])
    draw_policies(game, race.past, player, race.policy, rng)


@compiled
def shuffle_boneyard(s: Any, order: Any, rng: Any) -> None:
    """Decide the order in which the tiles of the boneyard are drawn."""
    for i in range(list_tiles(s.bones, order)):
        j = below(rng, i + 1)
        order[i], order[j] = order[j], order[i]


@compiled
def finish_round(game: Any, s: Any, race: DealRace, rng: Any) -> None:
    """Play a round until the hands are counted, each player by their policy."""
    moves, drawn = race.moves, 0
    while s.phase != COUNTING:
        if s.turn == CHANCE:
            game.play(s, race.order[drawn])
            drawn += 1
        else:
            count = game.moves(s, moves)
            policy = race.policy[s.turn]
            game.play(s, move_by(policy, game, s, moves, count, race.planner, QUICK_STEPS, rng))


@compiled
def chance_to_win(game: Any, s: Any, race: DealRace, player: int, future: int, match: bool) -> float:
    """A player's share of the win, averaged over continuations of the match after a round, or of the round alone.

    In each continuation, all opponents play as one of them does, each in turn. Rounds with the same `future` go on with
    the same luck.
    """
    total = 0.0
    points, now = race.points[0], race.points[1]
    for p in range(game.players):
        now[p] = count_pips(s.hand[p]) + (s.points[p] if match else 0)
    for i in range(FUTURES):
        points[:] = now
        policy = race.policy[(player + 1 + i % (game.players - 1)) % game.players]
        place = future + APART * i
        rounds = s.round + 1
        while match and rounds < game.most_rounds and most_of(points, game.players) < game.target:
            begins = rounds % game.players
            result = race.results[policy, after(game, player, begins), place % RESULTS]
            for p in range(game.players):
                points[p] += result[after(game, p, begins)]
            place += 1
            rounds += 1
        total += share_of(points, game.players, player)
    return total / FUTURES


@compiled
def after(game: Any, player: int, begins: int) -> int:
    """How many turns after the player who begins a round a player's first one comes."""
    return (player - begins) % game.players


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
def sample_rounds(game: Any, race: DealRace, opening: Any, own: int, rng: Any) -> None:
    """Play rounds from the deal on, and record the pips each player is left with.

    In each seat, one player plays by the policy `own`, and the others by each policy that opponents may have.
    """
    for policy in range(POLICIES):
        for seat in range(game.players):
            race.policy[:] = policy
            race.policy[seat] = own
            for i in range(RESULTS):
                race.states[2] = opening[0]
                s = race.states[2]
                shuffle_boneyard(s, race.order, rng)
                finish_round(game, s, race, rng)
                for p in range(game.players):
                    race.results[policy, seat, i, p] = count_pips(s.hand[p])


def round_results(game: Any, own: int) -> Any:
    """The pips left in the hands after many rounds: [the others' policy, own seat, round, seat]."""
    return _round_results(game, own, mode())


@functools.lru_cache(maxsize=32)
def _round_results(game: Any, own: int, mode: str) -> Any:
    results = numbers((POLICIES, game.players, RESULTS, game.players), "i8")
    opening = records(1, game.dtype)
    opening[0] = native(Engine(game).start())
    sample_rounds(game, new_race(game, results), opening, own, Stream("results of rounds").words)
    return results


@dataclass
class MexicanTrainBest(Searcher):
    """Samples deals that explain the others' moves, plays each move out, and takes the one that wins most matches."""

    name: ClassVar[str] = "best"
    counts: ClassVar[tuple[str, ...]] = ("simulations",)
    default_limit: ClassVar[Limit] = Limit(simulations=2400)

    deals: int = option(0, low=0, limits="sims", public=10_000)  # per move, at most
    ms: int = option(0, low=0, limits="ms", public=PUBLIC_MS)  # milliseconds per move
    infer: bool = option(True)  # infer deals and policies from the others' moves; no: any deal, and all play as ai2
    habits: bool = option(True)  # with infer: keep what was found out in earlier rounds
    keen: bool = option(True)  # go on as keen; no: as shed
    match: bool = option(True)  # count matches won; no: rounds won

    def search(self, view: View, limit: Limit, ranking: bool) -> Report:
        start = running_time()
        game, count = view.game, len(view.moves)
        own = KEEN if self.keen else SHED
        race = new_race(game, round_results(game, own))
        race.states[0] = native(view.state)
        race.legal[:count] = view.moves
        race.alive[0] = count
        race.policy[:] = AI2
        race.policy[view.player] = own
        if self.infer:
            self._remember(view, race)

        def work(n: int) -> int:
            return try_moves(game, race, view.player, n, self.infer, self.match, view.rng.words)

        spend(work, limit.simulations, Clock(limit))
        best_first(race, int(race.alive[0]))
        moves = ranked(race, count)
        return Report(moves, sum(move.visits for move in moves), "playouts", 1, running_time() - start)

    def _remember(self, view: View, race: DealRace) -> None:
        turns, moves = (numbers(len(view.history), "i8") for _ in range(2))
        for i, ply in enumerate(view.history):
            turns[i], moves[i] = ply
        now, rng = race.states[0], view.rng.words
        recall(view.game, race.past, now, turns, moves, view.player, LAST_ROUNDS if self.habits else 0, rng)
        expect_alike(view.game, race.past, now, view.player, rng)
