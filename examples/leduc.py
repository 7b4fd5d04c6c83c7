"""Leduc hold'em: poker with six cards. A pair with the card on the table wins, otherwise the higher card.

Both players pay one chip and get a card. They bet in two rounds, the second one after a card is laid on the table; a
raise costs two chips more in the first round, four in the second, and a round has at most two of them (Southey et al.,
"Bayes' Bluff", 2005). The payoff is the chips won or lost.

kibitz check examples/leduc.py:Leduc
kibitz play examples/leduc.py:Leduc --vs ismcts:sims=5000
kibitz arena examples/leduc.py:Leduc ismcts:sims=1000 mc:sims=1000 random --games 200
"""

import kibitz

CARDS = ("J♠", "J♥", "Q♠", "Q♥", "K♠", "K♥")
UNDEALT, HIDDEN = -1, -2  # instead of a card
TABLE = 2  # the place of the third card; the places 0 and 1 are the players'
FOLD, CALL, RAISE = 0, 1, 2
MOST_RAISES = 2


class Board(kibitz.Board):
    seats = ("First", "Second")
    how_to_move = "Type fold, check, call or raise."

    def name(self, game, s, move):
        if s.turn == kibitz.CHANCE:
            return CARDS[move]
        return ("fold", "call" if owes(s) else "check", "raise")[move]

    def text(self, game, s, last=None):
        cards = [{UNDEALT: "–", HIDDEN: "?"}.get(card) or CARDS[card] for card in s.card]
        holders = ("First", "Second", "Table")
        hands = "   ".join(f"{holder} [bold]{card}[/]" for holder, card in zip(holders, cards, strict=True))
        return f"{hands}\nChips in the pot: {s.paid[0]} and {s.paid[1]}"


@kibitz.game
class Leduc:
    board = Board
    players = 2
    actions = 3  # fold; check or call; raise
    max_moves = 3
    max_outcomes = 6  # a chance outcome is a card
    max_plies = 11
    min_utility = -13  # one chip, two raises of two and two of four
    max_utility = 13
    utility_sum = 0

    def fields(self):
        return [
            ("card", "i1", 3),  # of each player and on the table
            ("paid", "i1", 2),  # by each player, in chips
            ("raises", "i1"),  # in this round …
            ("moved", "i1"),  # … and whether anybody has moved
            ("folded", "i1"),  # who folded; −1: nobody
            ("turn", "i1"),
        ]

    def start(self, s):
        s.card[:] = UNDEALT
        s.paid[:] = 1
        s.folded = -1
        s.turn = kibitz.CHANCE

    def chances(self, s, out, p):
        count = 0
        for card in range(6):
            if not is_dealt(s, card):
                out[count] = card
                count += 1
        p[:count] = 1 / count
        return count

    def moves(self, s, out):
        count = 0
        for move in range(3):
            if move == CALL or (move == FOLD and owes(s)) or (move == RAISE and s.raises < MOST_RAISES):
                out[count] = move
                count += 1
        return count

    def play(self, s, move):
        if s.turn == kibitz.CHANCE:
            place = next_place(s)
            s.card[place] = move
            s.turn = kibitz.CHANCE if place == 0 else 0
            return
        ends_round = move == CALL and s.moved
        s.moved = True
        if move == FOLD:
            s.folded = s.turn
            s.turn = kibitz.OVER
            return
        s.paid[s.turn] = s.paid[1 - s.turn]
        if move == RAISE:
            s.raises += 1
            s.paid[s.turn] += 2 if s.card[TABLE] == UNDEALT else 4
        s.turn = 1 - s.turn
        if ends_round:
            s.turn = kibitz.CHANCE if s.card[TABLE] == UNDEALT else kibitz.OVER
            s.raises = 0
            s.moved = False

    def payoff(self, s, out):
        lead = strength(s, 0) - strength(s, 1) if s.folded < 0 else 2 * s.folded - 1
        chips = min(s.paid[0], s.paid[1])  # what the loser paid
        out[0] = chips if lead > 0 else -chips if lead < 0 else 0
        out[1] = -out[0]

    def redact(self, s, player):
        for other in range(2):
            if other != player and s.card[other] != UNDEALT and s.turn != kibitz.OVER:
                s.card[other] = HIDDEN

    def redeal(self, s, player, rng):
        for other in range(2):
            while s.card[other] == HIDDEN:
                card = kibitz.rng.below(rng, 6)
                if not is_dealt(s, card):
                    s.card[other] = card

    def seen(self, s, move, player):
        is_private = s.turn == kibitz.CHANCE and next_place(s) != TABLE
        return -1 if is_private and next_place(s) != player else move


def next_place(s):
    """Where the next card goes: to the first player, to the second, then on the table."""
    return 0 if s.card[0] == UNDEALT else 1 if s.card[1] == UNDEALT else TABLE


def is_dealt(s, card):
    return s.card[0] == card or s.card[1] == card or s.card[TABLE] == card


def owes(s):
    """Whether the player to act has to pay to stay in the game."""
    return s.paid[s.turn] < s.paid[1 - s.turn]


def strength(s, player):
    """The rank of a player's card; a pair is higher than any."""
    rank = s.card[player] // 2
    return rank + 3 if rank == s.card[TABLE] // 2 else rank
