"""Inference from the others' moves: deals are drawn by how well they explain what everybody has laid.

Every tile laid was chosen from a hand. Each opponent is assumed to play by one of a few policies, unknown which, and to
deviate from it now and then; the weight of a deal is the likelihood of this round's moves. Deals are drawn by a Markov
chain (Metropolis): hidden tiles are exchanged at random, and an exchange that makes the moves less likely is only
accepted with the ratio of the likelihoods.

The deals of a new round tell nothing about those of the last one, but the players are the same: the probabilities of
the policies after a round, averaged over its possible deals, are those before the next. And players at one table are
often alike: what some of the opponents have shown is expected of the others, until their own moves say otherwise.
"""

from __future__ import annotations

from math import exp
from typing import Any, NamedTuple

from kibitz.compiler import compiled, numbers, records
from kibitz.games.mexican_train.keen_weights import LEARNED, worth_of
from kibitz.games.mexican_train.policies import AI2, KEEN, RANDOM, SHED, ai2_move, shed_move
from kibitz.games.mexican_train.redeal import BONEYARD, NONE, fits_place, place_tiles
from kibitz.games.mexican_train.rules import COUNTING, DRAWING, MOST_PLAYERS, PLAYING, TRAINS
from kibitz.games.mexican_train.sequences import QUICK_STEPS, Planner, new_planner, plan
from kibitz.games.mexican_train.tiles import add_tile
from kibitz.rules.contract import CHANCE
from kibitz.rules.rng import below, uniform

POLICIES = 4  # shed, ai2, random, and keen, which stands for all strong players
STRAY = 0.1  # how often a player is assumed to make a random move instead
KEENNESS = 20.0  # by how much the worth of a move to keen grows where the odds that `best` makes it grow e-fold
ALIKE = 0.8  # how often all opponents are assumed to play by the same policy
DOUBT = 0.01  # that what was found out about a player is wrong
# To find out the policies: exchanges before the first deal, deals, and exchanges between two.
SETTLE, SAMPLES, BETWEEN = 200, 40, 10


class Past(NamedTuple):
    """The decisions of the others in a round, and their likelihood given a deal."""

    states: Any  # as everybody saw them; after the last decision, the position to which they led
    moves: Any
    base: Any  # the tiles that the player certainly had then, as rows
    count: Any  # [how many there are]
    habits: Any  # [player, policy]: its probability before this round, up to a factor
    learned: Any  # the same after the decisions recorded
    likelihood: Any  # [player, policy]: of the moves, given the current deal
    evidence: Any  # [player]: the sum of these
    tried: Any  # the same for an exchange that may be undone
    tried_evidence: Any
    legal: Any
    planner: Planner


def new_past(game: Any) -> Past:
    return Past(
        states=records(game.tiles + 1, game.dtype),
        moves=numbers(game.tiles + 1, "i8"),
        base=numbers((game.tiles + 1, game.highest + 1), "i2"),
        count=numbers(1, "i8"),
        habits=numbers((MOST_PLAYERS, POLICIES), "f8"),
        learned=numbers((MOST_PLAYERS, POLICIES), "f8"),
        likelihood=numbers((MOST_PLAYERS, POLICIES), "f8"),
        evidence=numbers(MOST_PLAYERS, "f8"),
        tried=numbers((MOST_PLAYERS, POLICIES), "f8"),
        tried_evidence=numbers(MOST_PLAYERS, "f8"),
        legal=numbers(game.max_moves, "i8"),
        planner=new_planner(),
    )


@compiled
def recall(game: Any, past: Past, now: Any, turns: Any, moves: Any, viewer: int, rounds: int, rng: Any) -> None:
    """Find out the others' habits in up to so many earlier rounds, and record their decisions in this one.

    If these do not lead to the current position, because the game was set up from another one, nothing is recorded.
    """
    past.habits[:] = 1.0 / POLICIES
    begin = begin_of_round(turns, len(turns))
    first, end = now.round, end_of_round_before(turns, begin)
    while end > 0 and first > 0 and now.round - first < rounds:
        first -= 1
        earlier = begin_of_round(turns, end)
        if replay_round(game, past, first, turns, moves, earlier, end, viewer):
            learn_policies(game, past, past.states[past.count[0]], viewer, rng)
            past.habits[:] = past.learned
        end = end_of_round_before(turns, earlier)
    replay_round(game, past, now.round, turns, moves, begin, len(turns), viewer)
    if past.states[past.count[0]].count != now.count:
        past.count[0] = 0


@compiled
def begin_of_round(turns: Any, end: int) -> int:
    """The first ply after the deal, in the round that lasts until `end`."""
    begin = end
    while begin > 1 and not (turns[begin - 1] == CHANCE and turns[begin - 2] == CHANCE):
        begin -= 1  # only in a deal or in a count does chance act twice in a row
    return max(begin, min(end, 1))


@compiled
def end_of_round_before(turns: Any, begin: int) -> int:
    """The ply at which the hands were counted before the deal that ends at `begin`."""
    end = begin
    while end > 0 and turns[end - 1] == CHANCE:
        end -= 1
    return end


@compiled
def replay_round(game: Any, past: Past, number: int, turns: Any, moves: Any, begin: int, end: int, viewer: int) -> bool:
    """Record the others' decisions in a round, and the position to which they led; return whether the round is over."""
    s = past.states[0]
    game.begin_round(s)
    for player in range(game.players):
        s.size[player] = game.hand_size
        s.left -= game.hand_size
    for ply in range(max(begin - game.hand_size, 0), begin):
        if turns[ply] == CHANCE and moves[ply] < game.tiles:
            add_tile(s.hand[viewer], moves[ply])
    s.phase = PLAYING
    s.turn = number % game.players
    at = 0
    for ply in range(begin, end):
        if s.turn == CHANCE and s.phase == DRAWING:
            # Of a tile that somebody else drew and kept, the number does not matter here.
            game.play(s, moves[ply] if turns[ply] == CHANCE else drawn_tile(game, moves[ply]))
        if turns[ply] == CHANCE:
            continue
        if s.turn != turns[ply]:
            break
        if s.drawn == NONE and s.turn != viewer and moves[ply] < game.draw_move:
            past.moves[at] = moves[ply]
            at += 1
            past.states[at] = past.states[at - 1]
            s = past.states[at]
        game.play(s, moves[ply])
    past.count[0] = at
    for i in range(at):
        find_base(game, past, i)
    return s.phase == COUNTING


@compiled
def drawn_tile(game: Any, move: int) -> int:
    """The tile that a player has drawn, if they lay it at once."""
    return move // TRAINS if move < game.draw_move else 0


@compiled
def find_base(game: Any, past: Past, decision: int) -> None:
    """List the tiles that certainly came with the deal, and were laid from a decision on."""
    then, now, base = past.states[decision], past.states[past.count[0]], past.base[decision]
    base[:] = 0
    for tile in range(game.tiles):
        laid_later = now.by[tile] == then.turn and now.nth[tile] > then.count
        if laid_later and now.until[tile] == 0 and now.after[tile] < 0:
            add_tile(base, tile)


@compiled
def learn_policies(game: Any, past: Past, s: Any, viewer: int, rng: Any) -> None:
    """Find out how likely each policy of the others is after the decisions recorded, on average over deals."""
    held, places = begin_chain(game, s, past, viewer, rng)
    change_places(game, s, past, held, places, SETTLE, rng)
    past.learned[:] = DOUBT / POLICIES
    for _ in range(SAMPLES):
        change_places(game, s, past, held, places, BETWEEN, rng)
        for player in range(game.players):
            if player != viewer:
                for policy in range(POLICIES):
                    probability = past.likelihood[player, policy] / past.evidence[player]
                    past.learned[player, policy] += (1.0 - DOUBT) * probability / SAMPLES


@compiled
def expect_alike(game: Any, past: Past, now: Any, viewer: int, rng: Any) -> None:
    """Expect of each opponent what the moves of the others in this round and before suggest."""
    if game.players == 2:
        return
    learn_policies(game, past, now, viewer, rng)
    for player in range(game.players):
        if player != viewer:
            total = 0.0
            for policy in range(POLICIES):
                total += all_others_by(game, past, policy, viewer, player)
            for policy in range(POLICIES):
                share = all_others_by(game, past, policy, viewer, player) / total
                past.habits[player, policy] *= 1.0 - ALIKE + ALIKE * POLICIES * share


@compiled
def all_others_by(game: Any, past: Past, policy: int, viewer: int, player: int) -> float:
    """The probability that all opponents but one play by the same given policy, if they were chosen independently."""
    product = 1.0
    for other in range(game.players):
        if other != viewer and other != player:
            product *= past.learned[other, policy]
    return product


@compiled
def weigh(game: Any, s: Any, past: Past, player: int, held: int, likelihood: Any) -> float:
    """The likelihood of a player's moves given the tiles they have in `s`: writes it by policy, returns the sum."""
    for policy in range(POLICIES):
        likelihood[player, policy] = past.habits[player, policy]
    for i in range(past.count[0]):
        then = past.states[i]
        if then.turn == player:
            hand = then.hand[player]
            hand[:] = past.base[i]
            for place in range(held):
                if s._owner[place] == player and s._draw[place] <= then.kept[player]:
                    tile = s._tile[place]
                    if s.nth[tile] == 0 or s.nth[tile] > then.count:
                        add_tile(hand, tile)
            count = game.moves(then, past.legal)
            if count > 1:
                plan(past.planner, player, hand, then.end[player], QUICK_STEPS)
                by_shed = shed_move(game, then, past.legal, count, player, past.planner)
                by_ai2 = ai2_move(game, then, past.legal, count, player, past.planner)
                likelihood[player, SHED] *= STRAY / count + (1.0 - STRAY) * (by_shed == past.moves[i])
                likelihood[player, AI2] *= STRAY / count + (1.0 - STRAY) * (by_ai2 == past.moves[i])
                likelihood[player, KEEN] *= keen_likelihood(game, then, past, count, past.moves[i])
                likelihood[player, RANDOM] *= 1.0 / count
    total = 0.0
    for policy in range(POLICIES):
        total += likelihood[player, policy]
    return total


@compiled
def keen_likelihood(game: Any, s: Any, past: Past, count: int, move: int) -> float:
    """The likelihood of a move of a strong player, who tends to prefer what keen prefers."""
    player, planner = s.turn, past.planner
    worth, odds = worth_of(game, s, move, player, planner, LEARNED), 0.0
    for i in range(count):
        odds += exp((worth_of(game, s, past.legal[i], player, planner, LEARNED) - worth) / KEENNESS)
    return 1.0 / odds


@compiled
def begin_chain(game: Any, s: Any, past: Past, viewer: int, rng: Any) -> tuple[int, int]:
    """Put the hidden tiles into consistent places; return how many places others hold, and how many there are."""
    held, places = place_tiles(game, s, viewer, rng)
    for player in range(game.players):
        if player != viewer:
            past.evidence[player] = weigh(game, s, past, player, held, past.likelihood)
    return held, places


@compiled
def change_places(game: Any, s: Any, past: Past, held: int, places: int, steps: int, rng: Any) -> None:
    """Exchange hidden tiles, preferring places where they explain the moves better."""
    for _ in range(steps):
        a, b = below(rng, held), below(rng, places)
        mine, yours = s._owner[a], s._owner[b]
        x, y = s._tile[a], s._tile[b]
        if a == b or (mine == yours and s._draw[a] == s._draw[b]) or not (fits_place(s, x, b) and fits_place(s, y, a)):
            continue
        s._tile[a], s._tile[b] = y, x
        past.tried_evidence[mine] = weigh(game, s, past, mine, held, past.tried)
        ratio = past.tried_evidence[mine] / past.evidence[mine]
        if yours != BONEYARD and yours != mine:
            past.tried_evidence[yours] = weigh(game, s, past, yours, held, past.tried)
            ratio *= past.tried_evidence[yours] / past.evidence[yours]
        if ratio >= 1.0 or uniform(rng) < ratio:
            past.evidence[mine] = past.tried_evidence[mine]
            past.likelihood[mine] = past.tried[mine]
            if yours != BONEYARD and yours != mine:
                past.evidence[yours] = past.tried_evidence[yours]
                past.likelihood[yours] = past.tried[yours]
        else:
            s._tile[a], s._tile[b] = x, y


@compiled
def draw_policies(game: Any, past: Past, viewer: int, policy: Any, rng: Any) -> None:
    """Draw the policy of each opponent by how well it explains their moves, given the current deal."""
    for player in range(game.players):
        if player != viewer:
            left = uniform(rng) * past.evidence[player]
            policy[player] = 0
            while policy[player] < POLICIES - 1 and left >= past.likelihood[player, policy[player]]:
                left -= past.likelihood[player, policy[player]]
                policy[player] += 1
