"""Which camels the hidden race cards name, guessed from the odds at the time when they were laid.

Whoever lays a card probably believes in it: a camel is the more likely to be on a hidden card, the better its odds were
(looked up as in quick.py). The race is replayed from the moves and rolls that the player has seen; in place of a hidden
card, any card of its owner is laid, as the camels and dice do not depend on it.
"""

from __future__ import annotations

from typing import Any

from kibitz.compiler import compiled, native, numbers, records
from kibitz.games.camelup.quick import Lookup, look_up, new_lookup
from kibitz.games.camelup.rules import MOST_PLAYERS, UNKNOWN, WINNER
from kibitz.games.camelup.track import nth_bit
from kibitz.rules.contract import CHANCE
from kibitz.rules.engine import Engine
from kibitz.rules.rng import uniform
from kibitz.table import View


def deals(view: View, count: int, belief: float) -> Any:
    """Determinizations of a view: its position with likely camels on the hidden race cards.

    A camel is as likely as its odds to the power of `belief`; 0 makes all of them equally likely.
    """
    game: Any = view.game
    odds = numbers((2, MOST_PLAYERS * game.camels, game.camels), "f8")
    odds[:] = 1.0
    states, plies = records(1, game.dtype), numbers((len(view.history), 2), "i8")
    if view.history:
        plies[:] = view.history
    states[0] = native(Engine(game).start())
    recall(game, states, plies, new_lookup(game), belief, odds)
    seen, worlds = records(1, game.dtype), records(count, game.dtype)
    seen[0] = native(view.state)
    deal_cards(game, seen, odds, view.rng.words, worlds)
    return worlds


@compiled
def recall(game: Any, states: Any, plies: Any, lookup: Lookup, belief: float, odds: Any) -> None:
    """Replay the (turn, move) pairs of a game from states[0], and note odds[pile, place, camel] for hidden race cards.

    It stops where the plies do not fit: the table may have started from another position.
    """
    s = states[0]
    for i in range(len(plies)):
        turn, move = plies[i, 0], plies[i, 1]
        if turn != s.turn:
            return
        if turn != CHANCE and move >= game.first_unseen_bet:
            pile = move - game.first_unseen_bet
            values = look_up(game, s, lookup)
            for camel in range(game.camels):
                chance = values[(0 if pile == WINNER else game.camels) + lookup.rank[camel]]
                odds[pile, s.pile[pile], camel] = max(chance, 1e-6) ** belief
            move = game.first_race_bet + pile * game.camels + nth_bit(s.cards[turn], 0)
        game.play(s, move)


@compiled
def deal_cards(game: Any, seen: Any, odds: Any, rng: Any, worlds: Any) -> None:
    """Fill the worlds with the position in seen[0], and draw the camels of its hidden race cards in each."""
    for world in range(len(worlds)):
        worlds[world] = seen[0]
        s = worlds[world]
        for player in range(game.players):
            if s.cards[player] == UNKNOWN:
                s.cards[player] = game.all_camels
        for pile in range(2):
            for i in range(s.pile[pile]):
                owner = s.pile_turn[pile, i] % game.players
                s.pile_owner[pile, i] = owner
                if s.pile_camel[pile, i] == UNKNOWN:
                    camel = draw_card(game, s.cards[owner], odds[pile, i], rng)
                    s.pile_camel[pile, i] = camel
                    s.cards[owner] ^= 1 << camel


@compiled
def draw_card(game: Any, cards: int, odds: Any, rng: Any) -> int:
    """One of a set of cards, drawn by its odds."""
    total = 0.0
    for camel in range(game.camels):
        total += odds[camel] if cards >> camel & 1 else 0.0
    left = total * uniform(rng)
    drawn = nth_bit(cards, 0)
    for camel in range(game.camels):
        if cards >> camel & 1:
            if left >= 0.0:
                drawn = camel
            left -= odds[camel]
    return drawn
