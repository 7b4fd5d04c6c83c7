"""Toy games for the tests: perfect information, chance, and hidden information with three players.

Each is small enough to be solved or enumerated by brute force.
"""

import kibitz
from kibitz.rules.contract import CHANCE, OVER, game
from kibitz.rules.rng import below, shuffle


class NimBoard(kibitz.Board):
    def name(self, game, s, move):
        return f"take {move + 1}"


@game(runtime=["heap"])  # one compilation serves every heap of every test
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


@game(runtime=["goal", "faces"])
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


@game(runtime=["goal", "faces"])
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


TREE = ("players", "width", "height", "dice", "seed")  # the fields of random trees


@game(runtime=TREE)
class RandomTree:
    """A tree whose shape, movers and payoffs follow from its seed. Equal shares are common; some move twice."""

    players: int = 3
    width: int = 3
    height: int = 5
    dice: bool = False  # whether chance acts in some positions
    seed: int = 0

    actions = 8
    max_moves = 8
    max_outcomes = 3

    @property
    def max_plies(self):
        return 2 * self.height

    def fields(self):
        return [("node", "i8"), ("ply", "i1"), ("mover", "i1"), ("turn", "i1")]

    def start(self, s):
        s.node = self.seed + 1

    def moves(self, s, out):
        count = self.width - s.node % 2
        for i in range(count):
            out[i] = (3 * i + s.node) % self.actions
        return count

    def chances(self, s, out, p):
        for i in range(3):
            out[i] = i
            p[i] = (i + 1) / 6
        return 3

    def play(self, s, move):
        rolled = s.turn == CHANCE
        s.node = (s.node * 1_103_515 + 12_345 * (move + 1)) % 2_147_483_647
        if not rolled:
            s.ply += 1
            s.mover = s.turn if s.node % 7 == 0 else (s.turn + 1) % self.players
        s.turn = OVER if s.ply == self.height else CHANCE if self.dice and not rolled and s.node % 3 == 0 else s.mover

    def reply(self, s, player):
        if s.node % 11 == 0:
            return False
        s.mover = player
        s.turn = player
        return True

    def evaluate(self, s, out):
        code = s.node
        for player in range(self.players):
            out[player] = (code % 4) ** 2 / 9
            code = code // 4

    def payoff(self, s, out):
        self.evaluate(s, out)
        total = 0.0
        for player in range(self.players):
            total += out[player]
        for player in range(self.players):
            out[player] = out[player] / total if total > 0 else 1 / self.players


DEALT_CARDS = 6  # two for each of three


@game
class Middle:
    """Two hidden cards each; all lay one of theirs in turn, and the one in the middle wins."""

    players = 3
    actions = CARDS  # lay this card
    max_moves = CARDS  # where everybody may hold every card that is not seen
    max_outcomes = CARDS
    max_plies = DEALT_CARDS + 3
    chance_first = True

    def fields(self):
        return [("holds", "i1", (3, CARDS)), ("laid", "i1", 3), ("dealt", "i1"), ("turn", "i1"), ("_pool", "i1", CARDS)]

    def start(self, s):
        s.laid[:] = -1
        s.turn = CHANCE

    def chances(self, s, out, p):
        count = free_cards(s, out)
        p[:count] = 1 / count
        return count

    def moves(self, s, out):
        count = 0
        for card in range(CARDS):
            if s.holds[s.turn, card]:
                out[count] = card
                count += 1
        return count

    def play(self, s, move):
        if s.turn == CHANCE:
            s.holds[s.dealt % 3, move] = 1
            s.dealt += 1
            s.turn = 0 if s.dealt == DEALT_CARDS else CHANCE
            return
        s.laid[s.turn] = move
        for player in range(3):
            s.holds[player, move] = 0
        s.turn = s.turn + 1 if s.turn < 2 else OVER

    def payoff(self, s, out):
        for player in range(3):
            left, right = s.laid[(player + 1) % 3], s.laid[(player + 2) % 3]
            out[player] = 1.0 if min(left, right) < s.laid[player] < max(left, right) else 0.0

    def seen(self, s, move, player):
        return move if s.turn != CHANCE or s.dealt % 3 == player else -1

    def redact(self, s, player):
        for other in range(3):
            if other != player:
                s.holds[other, :] = 0

    def redeal(self, s, player, rng):
        left = free_cards(s, s._pool)
        shuffle(rng, s._pool, left)
        for other in range(3):
            if other != player:
                hand = (s.dealt + 2 - other) // 3 - (1 if s.laid[other] >= 0 else 0)
                for _ in range(hand):
                    left -= 1
                    s.holds[other, s._pool[left]] = 1

    def possible(self, s, player):
        left = free_cards(s, s._pool)
        for other in range(3):
            if other != player:
                for i in range(left):
                    s.holds[other, s._pool[i]] = 1


def free_cards(s, out):
    """The cards that nobody is known to hold and nobody has laid."""
    count = 0
    for card in range(CARDS):
        held = s.holds[0, card] + s.holds[1, card] + s.holds[2, card] > 0
        if not held and s.laid[0] != card and s.laid[1] != card and s.laid[2] != card:
            out[count] = card
            count += 1
    return count


SETTLE = 3  # moves before it hide the pea
GUESS = 4  # and these moves say where it is


@game
class Cups:
    """Hide a pea under one of three cups, or settle for half. The other guesses where it is: wrong, and the hider wins.

    Who hides it anywhere with equal chances wins two games of three, which is the best there is.
    """

    players = 2
    actions = 7
    max_moves = 4
    max_plies = 2

    def fields(self):
        return [("pea", "i1"), ("guess", "i1"), ("turn", "i1")]  # cups from 1; 0: not yet; of the pea −1: hidden

    def start(self, s):
        s.turn = 0

    def moves(self, s, out):
        for i in range(4 - s.turn):
            out[i] = i + GUESS * s.turn
        return 4 - s.turn

    def play(self, s, move):
        if s.turn == 0 and move != SETTLE:
            s.pea = move + 1
            s.turn = 1
        else:
            s.guess = move - GUESS + 1 if s.turn == 1 else 0
            s.turn = OVER

    def payoff(self, s, out):
        out[0] = 0.5 if s.pea == 0 else 0.0 if s.pea == s.guess else 1.0
        out[1] = 1.0 - out[0]

    def seen(self, s, move, player):
        return -1 if s.turn == 0 and move != SETTLE and player != 0 else move

    def redact(self, s, player):
        if s.turn == 1 and player != 0:
            s.pea = -1

    def redeal(self, s, player, rng):
        if s.pea == -1:
            s.pea = 1 + below(rng, 3)


@game(runtime=TREE)
class Chips(RandomTree):
    """The random tree as a betting game: one player wins up to three chips from the other."""

    players: int = 2

    min_utility = -3
    max_utility = 3
    utility_sum = 0

    @property
    def max_outcomes(self):
        return 3 if self.dice else 0

    def payoff(self, s, out):
        out[0] = s.node % 7 - 3
        out[1] = -out[0]


@game(runtime=TREE)
class ChipsAsShares(Chips):
    """The same game with shares of the win: three chips are a whole one."""

    min_utility = 0
    max_utility = 1
    utility_sum = 1

    def payoff(self, s, out):
        out[0] = (s.node % 7) / 6
        out[1] = (6 - s.node % 7) / 6


@game(runtime=TREE)
class ThreePurses(RandomTree):
    """The random tree as a zero-sum game for three. Normalized, the utilities sum to 1.5."""

    players: int = 3

    min_utility = -2
    max_utility = 2
    utility_sum = 0

    def payoff(self, s, out):
        out[0] = s.node % 3 - 1
        out[1] = s.node // 3 % 3 - 1
        out[2] = -out[0] - out[1]


TAKE, PASS = 0, 1


@game(runtime=["rounds"])
class Centipede:
    """Take the larger part of a pile, or pass and let it grow. Reasoning backwards, one takes at once."""

    rounds: int = 6

    players = 2
    actions = 2
    max_moves = 2
    min_utility = 0
    utility_sum = None

    @property
    def max_plies(self):
        return self.rounds

    @property
    def max_utility(self):
        return self.rounds + 1

    def fields(self):
        return [("passed", "i1"), ("taker", "i1"), ("turn", "i1")]

    def start(self, s):
        s.taker = -1

    def moves(self, s, out):
        out[0] = TAKE
        out[1] = PASS
        return 2

    def play(self, s, move):
        if move == TAKE:
            s.taker = s.turn
        else:
            s.passed += 1
        s.turn = OVER if move == TAKE or s.passed == self.rounds else 1 - s.turn

    def payoff(self, s, out):
        for player in range(2):
            out[player] = s.passed + (2 if player == s.taker else 0)


@game
class Menagerie:
    """A field of each kind: what its numbers do says what they are."""

    players = 2
    actions = 8
    max_moves = 8
    max_plies = 60

    def fields(self):
        return [
            ("colour", "i1", 8),  # −2 to 2; the sign is the owner
            ("pieces", "i2", 2),  # sets of bits
            ("count", "i2"),  # moves so far, and more
            ("hash", "i8"),
            ("heat", "f8"),
            ("still", "i1"),
            ("turn", "i1"),
        ]

    def start(self, s):
        s.hash = 12345

    def moves(self, s, out):
        for move in range(8):
            out[move] = move
        return 8

    def play(self, s, move):
        sign = 1 - 2 * s.turn
        s.colour[move] = sign * (1 + (s.count + move) % 2)
        s.pieces[s.turn] ^= 1 << (move + 3)
        s.count += 1
        s.hash = (s.hash * 6364136223846793005 + move) & 0x7FFF_FFFF_FFFF_FFFF
        s.heat = s.count / 3
        s.turn = OVER if s.count == 60 else 1 - s.turn

    def payoff(self, s, out):
        out[0] = 1.0 if s.colour[0] > 0 else 0.0
        out[1] = 1.0 - out[0]
