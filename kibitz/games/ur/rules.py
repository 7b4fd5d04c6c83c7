"""The Royal Game of Ur: race all your pieces home along a partly shared path, and capture the opponent's on the way.

Players: 2. Chance: a throw of coins before each move. Hidden: nothing. No draws.
A move is the step that a piece leaves, 0 for a piece in hand; the number of the last step, home, is a pass, legal only
when there is no other move. A chance outcome is the roll.
From Mesopotamia, about 2600 BC; rules as reconstructed by Irving Finkel, in the variants played today.

A piece moves from the hand (step 0) along its path until it is home. Steps 1 to 4 are its own; from step 5 on it may
land on the opponent's pieces, which go back to their hand, but never on its own side's. Landing on a rosette gives
another roll, for any piece, and a piece there cannot be captured. Coming home needs the exact roll.

Variants: pieces, and the last rosette: 13 (classic) or 14 (Finkel) on a path of 14 steps that is shared from 5 to 12;
or 16 for the Masters path of 16 steps, whose rosettes are not always safe. Well-known rule sets are

    Finkel    pieces=7, rosettes=14
    Masters   pieces=7, rosettes=16, coins=3, safe=no
    Blitz     pieces=5, rosettes=16, safe=no, captures=yes
"""

import math

import numpy as np

from kibitz.errors import SpecError
from kibitz.rules.contract import CHANCE, OVER, game
from kibitz.rules.rng import below
from kibitz.rules.sets import count_bits

MOST_PIECES = 100
FALLS = 16  # ways in which four coins can fall; with three coins, each is counted twice
HEADS = np.array([bin(coins).count("1") for coins in range(FALLS)], "i1")
HEADS_OF_THREE = np.array([bin(coins % 8).count("1") or 4 for coins in range(FALLS)], "i1")  # no heads count as 4
ODDS = np.bincount(HEADS) / FALLS
ODDS_OF_THREE = np.bincount(HEADS_OF_THREE) / FALLS

MASTERS = 16  # the last rosette of the Masters path
FIRST_START, FIRST_SHARED = 1, 5
SHARED = 0b1_1111_1110_0000  # steps 5 to 12
MASTERS_ALIKE = 0b100_1111_1110_0000  # steps 5 to 11 and 14, the same squares for both

# What a piece on each step, and being next to throw, add to the log-odds of winning. Fitted to positions of solved
# games before the throw, with an error of 0.06 of the win: games with four pieces, on the Masters path with three.
CLASSIC_WORTH = np.array([0, 8, 12, 15, 12, 17, 21, 24, 43, 32, 36, 43, 49, 49, 57, 77]) / 100
FINKEL_WORTH = np.array([0, 9, 13, 16, 13, 19, 22, 26, 46, 35, 38, 46, 53, 66, 55, 85]) / 100
MASTERS_WORTH = np.array([0, 6, 11, 13, 11, 12, 15, 18, 17, 23, 29, 33, 32, 37, 41, 50, 35, 61]) / 100
THROW_WORTH = 0.095


@game(runtime=("pieces",))
class Ur:
    pieces: int = 4
    rosettes: int = 13  # the last rosette of the path
    coins: int = 4  # thrown for a roll, which is the number of heads; with 3 coins, no heads count as 4
    safe: bool = True  # whether pieces on rosettes cannot be captured
    captures: bool = False  # whether a capture also gives another roll

    players = 2

    def __post_init__(self):
        if not 1 <= self.pieces <= MOST_PIECES:
            raise SpecError(f"Ur needs 1 to {MOST_PIECES} pieces, not {self.pieces}.")
        if self.rosettes not in (13, 14, 16):
            raise SpecError("Ur needs rosettes=13 (classic), 14 (Finkel) or 16 (the Masters path).")
        if self.coins not in (3, 4):
            raise SpecError(f"Ur needs 3 or 4 coins, not {self.coins}.")

    @property
    def home(self):
        """The step after the path."""
        return 17 if self.rosettes == MASTERS else 15

    @property
    def actions(self):
        return self.home + 1

    @property
    def max_moves(self):
        return self.home

    @property
    def max_outcomes(self):
        return 5 if self.coins == 4 else 4

    @property
    def max_plies(self):
        """No limit can be proven; games between random players come nowhere near this one."""
        return 2000 + 1000 * self.pieces

    def fields(self):
        return [
            ("at", "i4", 2),  # the steps that each player's pieces stand on, as bits
            ("hand", "i1", 2),  # pieces not yet on the path
            ("roll", "i1"),  # 0 before the throw
            ("mover", "i1"),  # who throws, or has thrown
            ("turn", "i1"),
        ]

    def start(self, s):
        s.hand[:] = self.pieces
        s.turn = CHANCE

    def chances(self, s, out, p):
        odds = ODDS if self.coins == 4 else ODDS_OF_THREE
        count = 0
        for roll in range(len(odds)):
            if odds[roll] > 0.0:
                out[count] = roll
                p[count] = odds[roll]
                count += 1
        return count

    def sample(self, s, rng):
        fall = below(rng, FALLS)
        return HEADS[fall] if self.coins == 4 else HEADS_OF_THREE[fall]

    def moves(self, s, out):
        landings = self.landings(s)
        count = 0
        for step in range(self.home):
            out[count] = step
            count += landings >> (step + s.roll) & 1
        if count == 0:
            out[0] = self.home
            count = 1
        return count

    def landings(self, s):
        """The steps on which the mover's pieces can land, as bits."""
        if s.roll == 0:
            return 0
        own = s.at[s.turn]
        blocked = own
        if self.safe:
            blocked |= self.met(s.at[1 - s.turn]) & self.rosette_steps
        pieces = own | (1 if s.hand[s.turn] > 0 else 0)
        return (pieces << s.roll) & ~blocked & ((2 << self.home) - 1)

    def play(self, s, move):
        if s.turn == CHANCE:
            s.roll = move
            s.turn = s.mover
            return
        again = False
        if move != self.home:
            again = self.move_piece(s, move, move + s.roll)
        s.roll = 0
        if s.at[s.turn] == 0 and s.hand[s.turn] == 0:
            s.turn = OVER
            return
        if not again:
            s.mover = 1 - s.turn
        s.turn = CHANCE

    def move_piece(self, s, step, target):
        """Move one piece of the player to act; return whether that gives another roll."""
        me, you = s.turn, 1 - s.turn
        if step == 0:
            s.hand[me] -= 1
        else:
            s.at[me] ^= 1 << step
        if target == self.home:
            return False
        s.at[me] |= 1 << target
        again = self.rosette_steps >> target & 1
        if self.met(s.at[you]) >> target & 1:
            s.at[you] ^= self.met(1 << target)
            s.hand[you] += 1
            again |= self.captures
        return again == 1

    def met(self, steps):
        """Translate one player's steps, as bits, to the other's steps on the same squares."""
        if self.rosettes != MASTERS:
            return steps & SHARED
        crossed = steps >> 4 & 1 << 12 | steps >> 2 & 1 << 13 | steps << 2 & 1 << 15 | steps << 4 & 1 << 16
        return steps & MASTERS_ALIKE | crossed

    @property
    def shared_bits(self):
        """A mask with one bit for each shared square."""
        return (1 << 12) - 1 if self.rosettes == MASTERS else (1 << 8) - 1

    @property
    def rosette_steps(self):
        """The steps with a rosette, as bits."""
        return 1 << 4 | 1 << 8 | 1 << self.rosettes | (1 << 12 if self.rosettes == MASTERS else 0)

    def payoff(self, s, out):
        for player in range(2):
            out[player] = 1.0 if s.at[player] == 0 and s.hand[player] == 0 else 0.0

    def evaluate(self, s, out):
        lead = THROW_WORTH if s.mover == 0 else -THROW_WORTH
        lead += self.worth(s, 0) - self.worth(s, 1)
        out[0] = 1 / (1 + math.exp(-lead))
        out[1] = 1 - out[0]

    def worth(self, s, player):
        """The value of a player's pieces."""
        by_step = CLASSIC_WORTH if self.rosettes == 13 else FINKEL_WORTH if self.rosettes == 14 else MASTERS_WORTH
        steps = s.at[player]
        total = (self.pieces - s.hand[player] - count_bits(steps)) * by_step[self.home]
        for step in range(1, self.home):
            total += (steps >> step & 1) * by_step[step]
        return total

    def score(self, s, out):
        """The number of pieces at home."""
        for player in range(2):
            out[player] = self.pieces - s.hand[player] - count_bits(s.at[player])
