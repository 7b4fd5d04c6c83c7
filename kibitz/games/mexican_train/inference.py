"""Inference from the others' moves: deals are drawn by how well they explain what everybody has laid.

Every tile laid was chosen from a hand. Each opponent is assumed to play by one of a few policies, unknown which, and to
deviate from it now and then; the weight of a deal is the likelihood of this round's moves. Deals are drawn by a Markov
chain (Metropolis): hidden tiles are exchanged at random, and an exchange that makes the moves less likely is only
accepted with the ratio of the likelihoods.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kibitz.compiler import compiled, numbers, records
from kibitz.games.mexican_train.policies import AI2, RANDOM, SHED, ai2_move, shed_move
from kibitz.games.mexican_train.redeal import BONEYARD, NONE, fits_place, place_tiles
from kibitz.games.mexican_train.rules import MOST_PLAYERS, PLAYING
from kibitz.games.mexican_train.sequences import QUICK_STEPS, Planner, new_planner, plan
from kibitz.games.mexican_train.tiles import add_tile
from kibitz.rules.contract import CHANCE
from kibitz.rules.rng import below, uniform

POLICIES = 3  # shed, ai2 and random
STRAY = 0.1  # how often a player is assumed to make a random move instead


class Past(NamedTuple):
    """The decisions of the others in this round, and their likelihood given a deal."""

    states: Any  # as everybody saw them
    moves: Any
    base: Any  # the tiles that the player certainly had then, as rows
    count: Any  # [how many there are]
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
        likelihood=numbers((MOST_PLAYERS, POLICIES), "f8"),
        evidence=numbers(MOST_PLAYERS, "f8"),
        tried=numbers((MOST_PLAYERS, POLICIES), "f8"),
        tried_evidence=numbers(MOST_PLAYERS, "f8"),
        legal=numbers(game.max_moves, "i8"),
        planner=new_planner(),
    )


@compiled
def recall(game: Any, past: Past, now: Any, turns: Any, moves: Any, viewer: int) -> None:
    """Record the others' decisions in this round, from all plies that the viewer has seen.

    If these do not lead to the current position, because the game was set up from another one, nothing is recorded.
    """
    begin = len(turns) - 1
    while begin > 0 and not (turns[begin] == CHANCE and turns[begin - 1] == CHANCE):
        begin -= 1  # only in a deal does chance act twice in a row
    at = 0
    s = past.states[0]
    game.begin_round(s)
    for player in range(game.players):
        s.size[player] = game.hand_size
        s.left -= game.hand_size
    s.phase = PLAYING
    s.turn = now.round % game.players
    for ply in range(begin + 1, len(turns)):
        if turns[ply] == CHANCE:
            continue  # the viewer's own tile
        if s.turn == CHANCE:
            game.play(s, 0)  # somebody drew a tile; which one does not matter here
        if s.turn != turns[ply]:
            break
        if s.drawn == NONE and s.turn != viewer and moves[ply] < game.draw_move:
            past.moves[at] = moves[ply]
            past.base[at] = 0
            for tile in range(game.tiles):
                # Tiles that certainly came with the deal, and were laid from here on.
                if now.by[tile] == s.turn and now.until[tile] == 0 and now.after[tile] < 0 and now.nth[tile] > s.count:
                    add_tile(past.base[at], tile)
            at += 1
            past.states[at] = past.states[at - 1]
            s = past.states[at]
        game.play(s, moves[ply])
    past.count[0] = at if s.count == now.count else 0


@compiled
def weigh(game: Any, s: Any, past: Past, player: int, held: int, likelihood: Any) -> float:
    """The likelihood of a player's moves given the tiles they have in `s`: writes it by policy, returns the sum."""
    for policy in range(POLICIES):
        likelihood[player, policy] = 1.0
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
                other = STRAY / count
                same = 1.0 - STRAY + other
                by_shed = shed_move(game, then, past.legal, count, player, past.planner)
                by_ai2 = ai2_move(game, then, past.legal, count, player, past.planner)
                likelihood[player, SHED] *= same if by_shed == past.moves[i] else other
                likelihood[player, AI2] *= same if by_ai2 == past.moves[i] else other
                likelihood[player, RANDOM] *= 1.0 / count
    total = 0.0
    for policy in range(POLICIES):
        total += likelihood[player, policy]
    return total


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
