"""What the others' moves say about their tiles: deals drawn by how well they explain what everybody has laid.

Who lays a tile on another's train, or on its own, chose it from its hand. Each opponent is thought to play by one of a
few habits, nobody knows which, and to stray from it now and then; a deal is as likely as it makes the moves of this
round. Deals are drawn by a Markov chain (Metropolis): hidden tiles change places at random, and a change is taken back
with the odds that it makes the moves less likely.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kibitz.compiled import compiled, numbers, records
from kibitz.game import CHANCE
from kibitz.games.mexican_train.habits import AI2, RANDOM, SHED, ai2_move, shed_move
from kibitz.games.mexican_train.knowledge import BONEYARD, NONE, fits_place, place_tiles
from kibitz.games.mexican_train.rules import MOST_PLAYERS, PLAYING
from kibitz.games.mexican_train.sequences import QUICK_STEPS, Planner, new_planner, plan
from kibitz.games.mexican_train.tiles import add_tile
from kibitz.rng import below, uniform

HABITS = 3  # shed, ai2 and random
STRAY = 0.1  # how often a player is thought to play anything instead


class Past(NamedTuple):
    """The decisions of the others in this round, and how likely a deal makes them."""

    states: Any  # as everybody saw them
    moves: Any
    base: Any  # the tiles that the player had then for sure, as rows
    count: Any  # [how many there are]
    likelihood: Any  # [player, habit]: of its moves, with the present deal
    evidence: Any  # [player]: the sum of these
    tried: Any  # the same for a change that may be taken back
    tried_evidence: Any
    legal: Any
    planner: Planner


def new_past(game: Any) -> Past:
    return Past(
        states=records(game.tiles + 1, game.dtype),
        moves=numbers(game.tiles + 1, "i8"),
        base=numbers((game.tiles + 1, game.highest + 1), "i2"),
        count=numbers(1, "i8"),
        likelihood=numbers((MOST_PLAYERS, HABITS), "f8"),
        evidence=numbers(MOST_PLAYERS, "f8"),
        tried=numbers((MOST_PLAYERS, HABITS), "f8"),
        tried_evidence=numbers(MOST_PLAYERS, "f8"),
        legal=numbers(game.max_moves, "i8"),
        planner=new_planner(),
    )


@compiled
def recall(game: Any, past: Past, now: Any, turns: Any, moves: Any, viewer: int) -> None:
    """Note the others' decisions in this round, from all plies that the viewer has seen.

    If these do not lead to the present position, because the game began with another one, nothing is noted.
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
                # Tiles that came with the deal for sure, and were laid from here on.
                if now.by[tile] == s.turn and now.until[tile] == 0 and now.after[tile] < 0 and now.nth[tile] > s.count:
                    add_tile(past.base[at], tile)
            at += 1
            past.states[at] = past.states[at - 1]
            s = past.states[at]
        game.play(s, moves[ply])
    past.count[0] = at if s.count == now.count else 0


@compiled
def weigh(game: Any, s: Any, past: Past, player: int, held: int, likelihood: Any) -> float:
    """How likely a player's moves are with the tiles that it has in s, by each habit and in all."""
    for habit in range(HABITS):
        likelihood[player, habit] = 1.0
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
    for habit in range(HABITS):
        total += likelihood[player, habit]
    return total


@compiled
def begin_chain(game: Any, s: Any, past: Past, viewer: int, rng: Any) -> tuple[int, int]:
    """Place the hidden tiles anywhere they fit; return how many places others hold, and all."""
    held, places = place_tiles(game, s, viewer, rng)
    for player in range(game.players):
        if player != viewer:
            past.evidence[player] = weigh(game, s, past, player, held, past.likelihood)
    return held, places


@compiled
def change_places(game: Any, s: Any, past: Past, held: int, places: int, steps: int, rng: Any) -> None:
    """Let hidden tiles change places, more likely to where they explain what was laid."""
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
def draw_habits(game: Any, past: Past, viewer: int, habit: Any, rng: Any) -> None:
    """Draw the habit of each opponent, as likely as it explains its moves with the present deal."""
    for player in range(game.players):
        if player != viewer:
            left = uniform(rng) * past.evidence[player]
            habit[player] = 0
            while habit[player] < HABITS - 1 and left >= past.likelihood[player, habit[player]]:
                left -= past.likelihood[player, habit[player]]
                habit[player] += 1
