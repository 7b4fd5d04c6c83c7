"""Determinization: a deal of the hidden tiles, drawn uniformly from all that fit what a player has seen.

Nobody sees which tile comes in which draw, but a player who draws or passes shows that they have no tile of some
numbers. So the deals to draw from are not sets of tiles for each hand, but all consistent assignments of tiles to
draws: a hidden tile came after its holder was last shown void of either half, or lies in the boneyard; a tile that
another player has laid came in one of the draws between its `after` and `until`. All assignments are equally likely.

The places to fill are the draws of the others (the deal is as many places as tiles) and the boneyard. The hidden tiles
are put into them at random; those that do not fit are moved along chains of places until all do; then tiles are
exchanged many times, wherever they fit: in twos, and in threes, without which some deals could not be reached. These
exchanges leave the uniform distribution over all consistent deals unchanged, and bring any other close to it.
"""

from __future__ import annotations

from typing import Any

from kibitz.compiler import compiled
from kibitz.games.mexican_train.tiles import HALVES, add_tile, has_tile
from kibitz.rules.contract import OVER
from kibitz.rules.rng import below

NONE = -1  # no gate, no tile drawn, not laid
UNKNOWN = -2  # what a view does not show
BONEYARD = -1  # as the owner of a place
EXCHANGES, MORE_EXCHANGES = 120, 4  # of tiles: at least, and in addition for each place that others hold


@compiled
def deal_hidden(game: Any, s: Any, player: int, rng: Any) -> None:
    """Fill the hands of the others and the boneyard with a deal consistent with all that `player` has seen."""
    if s.turn != OVER:
        held, places = place_tiles(game, s, player, rng)
        fill_hands(s, held, places)


@compiled
def place_tiles(game: Any, s: Any, player: int, rng: Any) -> tuple[int, int]:
    """Put the hidden tiles into consistent places; return how many places others hold, and how many there are."""
    held, constrained = open_places(game, s, player)
    places = fill_places(game, s, player, held, rng)
    if constrained:
        for place in range(held):
            if not fits_place(s, s._tile[place], place):
                make_fit(s, place, places, below(rng, places))
        exchange_tiles(s, held, places, rng)
    return held, places


@compiled
def fill_hands(s: Any, held: int, places: int) -> None:
    """Fill the hands and the boneyard from the places."""
    for place in range(places):
        tile = s._tile[place]
        if s._owner[place] == BONEYARD:
            add_tile(s.bones, tile)
        elif s.by[tile] == NONE:
            add_tile(s.hand[s._owner[place]], tile)
    if s.drawn == UNKNOWN:
        s.drawn = s._tile[held - 1]


@compiled
def open_places(game: Any, s: Any, player: int) -> tuple[int, bool]:
    """List the draws of the other players as places, some with tiles that they have laid since.

    Return how many there are, and whether any of them cannot hold every tile.
    """
    held, constrained = 0, False
    for other in range(game.players):
        if other == player:
            continue
        begin = held
        for tile in range(game.tiles):
            if s.by[tile] == other and s.until[tile] > 0:
                s._tile[held] = tile
                held += 1
        pending = s.drawn == UNKNOWN and s.turn == other
        end = held + s.size[other] - pending
        for place in range(held, end):
            s._tile[place] = NONE
        # The last draws brought one tile each, the deal all those before them.
        dealt = end - s.kept[other]
        for place in range(begin, end):
            s._owner[place] = other
            s._draw[place] = max(place - dealt + 1, 0)
        held = end
        for number in range(game.highest + 1):
            constrained |= s.void[other, number] != NONE
    if s.drawn == UNKNOWN:  # the tile just drawn, which can be any
        s._tile[held] = NONE
        s._owner[held] = s.turn
        s._draw[held] = s.kept[s.turn] + 1
        held += 1
    return held, constrained


@compiled
def fill_places(game: Any, s: Any, player: int, held: int, rng: Any) -> int:
    """Put the tiles that the player cannot see into the free places at random, and the rest into the boneyard."""
    free = 0
    for place in range(held):
        free += s._tile[place] == NONE
    hidden = 0
    for tile in range(game.tiles):
        known = s.by[tile] != NONE or (player >= 0 and has_tile(s.hand[player], tile))
        s._hidden[hidden] = tile
        hidden += not known
    for i in range(free):
        j = i + below(rng, hidden - i)
        kept = s._hidden[i]
        s._hidden[i] = s._hidden[j]
        s._hidden[j] = kept
    i = 0
    for place in range(held):
        if s._tile[place] == NONE:
            s._tile[place] = s._hidden[i]
            i += 1
    places = held
    for i in range(free, hidden):
        s._tile[places] = s._hidden[i]
        s._owner[places] = BONEYARD
        s._draw[places] = 0
        places += 1
    return places


@compiled
def fits_place(s: Any, tile: int, place: int) -> bool:
    """Whether a place is consistent for a tile."""
    owner, draw = s._owner[place], s._draw[place]
    if s.by[tile] != NONE:
        return s.by[tile] == owner and s.after[tile] < draw <= s.until[tile]
    if owner == BONEYARD:
        return True
    return draw > s.void[owner, HALVES[tile, 0]] and draw > s.void[owner, HALVES[tile, 1]]


@compiled
def make_fit(s: Any, wrong: int, places: int, first: int) -> None:
    """Find the shortest chain of places whose tiles can each move up by one so that all fit, and move them.

    The tile in the place `wrong` goes to the end of the chain. The places are tried in circular order from `first`.
    """
    for place in range(places):
        s._from[place] = NONE
    s._from[wrong] = wrong
    s._hidden[0] = wrong
    tried, reached = 0, 1
    while tried < reached:
        place = s._hidden[tried]
        tried += 1
        for i in range(places):
            other = (first + i) % places
            if s._from[other] == NONE and fits_place(s, s._tile[other], place):
                s._from[other] = place
                if fits_place(s, s._tile[wrong], other):
                    move_up(s, wrong, other)
                    return
                s._hidden[reached] = other
                reached += 1


@compiled
def move_up(s: Any, wrong: int, last: int) -> None:
    """Move the tiles of a chain up by one, from its last place on, and the wrong tile to its end."""
    tile = s._tile[wrong]
    place = last
    while place != wrong:
        moved = s._tile[place]
        s._tile[place] = tile
        tile = moved
        place = s._from[place]
    s._tile[wrong] = tile


@compiled
def exchange_tiles(s: Any, held: int, places: int, rng: Any) -> None:
    """Exchange tiles at random wherever they fit."""
    for step in range(EXCHANGES + MORE_EXCHANGES * held):
        a = below(rng, held)
        b = below(rng, places)
        if step % 4 == 0:
            c = below(rng, places)
            if a != b and b != c and a != c:
                x, y, z = s._tile[a], s._tile[b], s._tile[c]
                if fits_place(s, x, b) and fits_place(s, y, c) and fits_place(s, z, a):
                    s._tile[a], s._tile[b], s._tile[c] = z, x, y
        else:
            x, y = s._tile[a], s._tile[b]
            if fits_place(s, x, b) and fits_place(s, y, a):
                s._tile[a], s._tile[b] = y, x
