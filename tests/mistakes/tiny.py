"""The games in which the list of mistakes makes them: every method of the contract, correct and as short as possible.

Each of two players is dealt a card from 1 to 4. Then each in turn folds or stays. Whoever folds loses to a player who
stays; otherwise the higher card wins. In Tiny the cards are dealt face up, in Hidden face down.
"""

import numpy as np

import kibitz
from kibitz import CHANCE, OVER

FOLD, STAY = 0, 1
WORTH = np.array([0, 1, 2, 3, 4])  # of each card; 0 is no card, or an unknown one


class Board(kibitz.Board):
    def name(self, game, s, move):
        return f"deal {move}" if s.turn == CHANCE else ("fold", "stay")[move]

    def text(self, game, s, last=None):
        return f"cards {s.cards.tolist()}"


@kibitz.game
class Tiny:
    highest: int = 4

    players = 2
    actions = 2
    max_moves = 2
    max_outcomes = 4
    max_plies = 4

    def fields(self):
        return [("cards", "i1", 2), ("staying", "i1", 2), ("dealt", "i1"), ("turn", "i1")]

    def start(self, s):
        s.turn = CHANCE

    def chances(self, s, out, p):
        count = 0
        for card in range(1, self.highest + 1):
            if card != s.cards[0]:
                out[count] = card
                count += 1
        p[:count] = 1 / count
        return count

    def sample(self, s, rng):
        return unseen_card(s, self.highest, rng)

    def moves(self, s, out):
        out[0] = FOLD
        out[1] = STAY
        return 2

    def play(self, s, move):
        if s.turn == CHANCE:
            s.cards[s.dealt] = move
            s.dealt += 1
            s.turn = CHANCE if s.dealt < 2 else 0
        else:
            s.staying[s.turn] = move
            s.turn = 1 if s.turn == 0 else OVER

    def payoff(self, s, out):
        for player in range(2):
            own = 10 * s.staying[player] + WORTH[s.cards[player]]
            other = 10 * s.staying[1 - player] + WORTH[s.cards[1 - player]]
            out[player] = 1.0 if own > other else 0.0

    def reply(self, s, player):
        return False

    def evaluate(self, s, out):
        out[0] = 0.5
        out[1] = 0.5

    def score(self, s, out):
        for player in range(2):
            out[player] = s.cards[player]

    def urgency(self, s, move):
        return move

    def noisy_moves(self, s, out):
        return 0

    def key(self, s):
        return s.cards[0] + 10 * s.cards[1] + 100 * s.staying[0] + 1000 * s.turn


@kibitz.game
class Hidden(Tiny):
    def redact(self, s, player):
        for other in range(2):
            if other != player:
                s.cards[other] = 0

    def redeal(self, s, player, rng):
        for other in range(s.dealt):
            if s.cards[other] == 0:
                s.cards[other] = unseen_card(s, self.highest, rng)

    def seen(self, s, move, player):
        return -1 if s.turn == CHANCE and player != s.dealt else move

    def possible(self, s, player):
        s.cards[1 - player] = self.highest


def unseen_card(s, highest, rng):
    while True:
        card = 1 + kibitz.rng.below(rng, highest)
        if card != s.cards[0] and card != s.cards[1]:
            return card
