"""Toy games for the tests: perfect information, chance, and hidden information with three players.

Each is small enough to be solved or enumerated by brute force.
"""

import kibitz
from kibitz.game import CHANCE, OVER, game
from kibitz.rng import below, shuffle


class NimBoard(kibitz.Board):
    def name(self, game, s, move):
        return f"take {move + 1}"


@game
class Nim:
    """Take one to three from a heap; who takes the last one wins. A heap of a multiple of four is lost."""

    heap: int = 21

    board = NimBoard
    players = 2
    actions = 3  # move m takes m + 1
    max_moves = 3

    @property
    def max_plies(self):
        return self.heap

    def fields(self):
        return [("left", "i2"), ("turn", "i1"), ("winner", "i1")]

    def start(self, s):
        s.left = self.heap

    def moves(self, s, out):
        count = min(3, s.left)
        for move in range(count):
            out[move] = move
        return count

    def play(self, s, move):
        s.left -= move + 1
        if s.left == 0:
            s.winner = s.turn
            s.turn = OVER
        else:
            s.turn = 1 - s.turn

    def payoff(self, s, out):
        out[s.winner] = 1.0
        out[1 - s.winner] = 0.0

    def evaluate(self, s, out):
        out[s.turn] = 0.1 if s.left % 4 == 0 else 0.9
        out[1 - s.turn] = 1.0 - out[s.turn]

    def key(self, s):
        return s.left * 2 + s.turn


STEP, ROLL = 0, 1


class DiceBoard(kibitz.Board):
    def name(self, game, s, move):
        if s.turn == CHANCE:
            return f"rolled {move}"
        return ("step", "roll")[move]


@game
class DiceRace:
    """First at the goal wins. In turn, step two squares for sure or roll a die on which a one is twice as likely."""

    goal: int = 10
    faces: int = 4

    board = DiceBoard
    players = 2
    actions = 2
    max_moves = 2

    @property
    def max_outcomes(self):
        return self.faces

    @property
    def max_plies(self):
        return 4 * self.goal

    def fields(self):
        return [("at", "i1", 2), ("mover", "i1"), ("turn", "i1")]

    def start(self, s):
        s.turn = 0

    def moves(self, s, out):
        out[0] = STEP
        out[1] = ROLL
        return 2

    def chances(self, s, out, p):
        for face in range(1, self.faces + 1):
            out[face - 1] = face
            p[face - 1] = (2 if face == 1 else 1) / (self.faces + 1)
        return self.faces

    def play(self, s, move):
        if s.turn == CHANCE:
            self.advance(s, move)
        elif move == STEP:
            self.advance(s, 2)
        else:
            s.turn = CHANCE

    def advance(self, s, squares):
        s.at[s.mover] += squares
        if s.at[s.mover] >= self.goal:
            s.turn = OVER
        else:
            s.mover = 1 - s.mover
            s.turn = s.mover

    def payoff(self, s, out):
        out[s.mover] = 1.0
        out[1 - s.mover] = 0.0

    def score(self, s, out):
        for player in range(2):
            out[player] = s.at[player]


@game
class SampledDiceRace(DiceRace):
    """The dice race with a sampler beside its list of outcomes."""

    def sample(self, s, rng):
        return max(1, below(rng, self.faces + 1))


CARDS, HAND = 7, 2  # one card stays in the deck
DECK, GONE, UNKNOWN = 3, 4, 5  # where a card can be, beside the hands of players 0, 1 and 2
NO_BID, NONE, SOME, HIDDEN = -1, 0, 1, 2


class CardBoard(kibitz.Board):
    def name(self, game, s, move):
        if s.turn == CHANCE:
            return f"deal {move}"
        return ("bid none", "bid some")[move - CARDS] if move >= CARDS else str(move)


@game
class HighCard:
    """Hidden hands, a secret bid whether one will take a trick, then tricks: the highest card takes it and leads."""

    board = CardBoard
    players = 3
    actions = CARDS + 2  # play a card, or bid none, or bid some
    max_moves = 2
    max_outcomes = CARDS
    max_plies = 6 * HAND + 3

    def fields(self):
        hidden = [("where", "i1", CARDS), ("bid", "i1", 3), ("_pool", "i1", CARDS)]
        return [*hidden, ("hand", "i1", 3), ("laid", "i1", 3), ("tricks", "i1", 3), ("turn", "i1")]

    def start(self, s):
        s.where[:] = DECK
        s.bid[:] = NO_BID
        s.laid[:] = -1
        s.turn = CHANCE

    def chances(self, s, out, p):
        count = cards_of(s, DECK, out)
        p[:count] = 1 / count
        return count

    def moves(self, s, out):
        if s.bid[s.turn] != NO_BID:
            return cards_of(s, s.turn, out)
        out[0] = CARDS + NONE
        out[1] = CARDS + SOME
        return 2

    def play(self, s, move):
        if s.turn == CHANCE:
            player = next_dealt(s)
            s.where[move] = player
            s.hand[player] += 1
            if s.hand[2] == HAND:
                s.turn = 0
            return
        if move >= CARDS:
            s.bid[s.turn] = move - CARDS
        else:
            s.where[move] = GONE
            s.hand[s.turn] -= 1
            s.laid[s.turn] = move
        s.turn = (s.turn + 1) % 3
        if s.laid[s.turn] >= 0:
            take_trick(s)

    def score(self, s, out):
        for player in range(3):
            kept = s.bid[player] == (SOME if s.tricks[player] > 0 else NONE)
            out[player] = s.tricks[player] + (1 if kept else 0)

    def payoff(self, s, out):
        self.score(s, out)
        best = max(out[0], out[1], out[2])
        winners = (out[0] == best) + (out[1] == best) + (out[2] == best)
        for player in range(3):
            out[player] = 1 / winners if out[player] == best else 0.0

    def seen(self, s, move, player):
        secret = s.turn == CHANCE or move >= CARDS
        knows = player == (next_dealt(s) if s.turn == CHANCE else s.turn)
        return move if knows or not secret else -1

    def redact(self, s, player):
        if s.turn == OVER:
            return  # all is laid open
        for card in range(CARDS):
            if s.where[card] != GONE and s.where[card] != player:
                s.where[card] = UNKNOWN
        for other in range(3):
            if other != player and s.bid[other] != NO_BID:
                s.bid[other] = HIDDEN

    def redeal(self, s, player, rng):
        left = cards_of(s, UNKNOWN, s._pool)
        shuffle(rng, s._pool, left)
        for i in range(left):
            s.where[s._pool[i]] = DECK
        for other in range(3):
            if s.bid[other] == HIDDEN:
                s.bid[other] = below(rng, 2)
            if other != player and s.turn != OVER:
                for _ in range(s.hand[other]):
                    left -= 1
                    s.where[s._pool[left]] = other


def cards_of(s, holder, out):
    count = 0
    for card in range(CARDS):
        if s.where[card] == holder:
            out[count] = card
            count += 1
    return count


def next_dealt(s):
    """The deal goes round: whoever has fewer cards than the player before."""
    return 1 if s.hand[1] < s.hand[0] else 2 if s.hand[2] < s.hand[1] else 0


def take_trick(s):
    for player in range(3):
        if s.laid[player] > s.laid[s.turn]:
            s.turn = player
    s.tricks[s.turn] += 1
    s.laid[:] = -1
    if s.hand[s.turn] == 0:
        s.turn = OVER
