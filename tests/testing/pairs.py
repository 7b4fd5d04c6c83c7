"""A small card game for the tests of redeals, whose cards can be dealt again in many wrong ways."""

from kibitz.rules.contract import CHANCE, OVER, game
from kibitz.rules.rng import below

RANKS = 3  # of two cards each
HIDDEN = -1
PASS, FOLD = 0, 1


class PairsRules:
    """A hidden card each and, after a round of passing or folding, an open one; a pair wins, else the higher card."""

    players = 2
    actions = 2
    max_moves = 2
    max_outcomes = RANKS
    max_plies = 7

    def fields(self):
        return [("hand", "i1", 2), ("table", "i1"), ("folded", "i1"), ("turn", "i1")]  # ranks from 1; 0: not dealt

    def start(self, s):
        s.folded = -1
        s.turn = CHANCE

    def left(self, s, rank):
        return 2 - (s.hand[0] == rank) - (s.hand[1] == rank) - (s.table == rank)

    def chances(self, s, out, p):
        count, total = 0, 0
        for rank in range(1, RANKS + 1):
            if self.left(s, rank) > 0:
                out[count] = rank
                p[count] = self.left(s, rank)
                total += self.left(s, rank)
                count += 1
        for i in range(count):
            p[i] /= total
        return count

    def moves(self, s, out):
        out[0] = PASS
        out[1] = FOLD
        return 2

    def play(self, s, move):
        if s.turn == CHANCE:
            if s.hand[0] == 0:
                s.hand[0] = move
            elif s.hand[1] == 0:
                s.hand[1] = move
                s.turn = 0
            else:
                s.table = move
                s.turn = 0
        elif move == FOLD:
            s.folded = s.turn
            s.turn = OVER
        elif s.turn == 0:
            s.turn = 1
        else:
            s.turn = OVER if s.table > 0 else CHANCE

    def payoff(self, s, out):
        worth = s.hand[0] - s.hand[1] + 10 * (s.hand[0] == s.table) - 10 * (s.hand[1] == s.table)
        if s.folded >= 0:
            worth = -1 if s.folded == 0 else 1
        out[0] = 0.5 if worth == 0 else 1.0 if worth > 0 else 0.0
        out[1] = 1.0 - out[0]

    def seen(self, s, move, player):
        dealt_to = 0 if s.hand[0] == 0 else 1 if s.hand[1] == 0 else -1
        return -1 if s.turn == CHANCE and dealt_to >= 0 and dealt_to != player else move

    def redact(self, s, player):
        for other in range(2):
            if other != player and s.hand[other] > 0:
                s.hand[other] = HIDDEN

    def redeal(self, s, player, rng):
        for other in range(2):
            if s.hand[other] == HIDDEN:
                s.hand[other] = self.drawn(s, rng)

    def drawn(self, s, rng):
        """The rank of a random card of those left."""
        while True:
            rank = 1 + below(rng, RANKS)
            if below(rng, 2) < self.left(s, rank):
                return rank


@game
class Pairs(PairsRules):
    """The game with everything right."""


@game
class ThirdKing(PairsRules):
    """Redeals any rank, however many cards of it are left."""

    def drawn(self, s, rng):
        return 1 + below(rng, RANKS)


@game
class Kingless(PairsRules):
    """Never redeals a king."""

    def drawn(self, s, rng):
        rank = 1 + below(rng, RANKS - 1)
        return rank if self.left(s, rank) > 0 else RANKS - rank


@game
class Uneven(PairsRules):
    """Redeals all ranks as often, whether one or two cards of them are left."""

    def drawn(self, s, rng):
        while True:
            rank = 1 + below(rng, RANKS)
            if self.left(s, rank) > 0:
                return rank


@game
class OwnCardTwice(PairsRules):
    """Redeals the viewer's own card to the opponent."""

    def redeal(self, s, player, rng):
        for other in range(2):
            if s.hand[other] == HIDDEN:
                s.hand[other] = s.hand[1 - other] if s.hand[1 - other] > 0 else self.drawn(s, rng)


@game
class Forgetful(PairsRules):
    """The first player says whether the card is a king; redeal has forgotten what was said."""

    actions = 3

    def moves(self, s, out):
        out[0] = 2 if s.turn == 0 and s.hand[0] == RANKS else PASS
        out[1] = FOLD
        return 2


@game
class Miscounted(PairsRules):
    """The probabilities are wrong once the table is to be dealt."""

    def chances(self, s, out, p):
        count = 0
        for rank in range(1, RANKS + 1):
            if self.left(s, rank) > 0:
                out[count] = rank
                p[count] = self.left(s, rank) / 6
                count += 1
        return count
