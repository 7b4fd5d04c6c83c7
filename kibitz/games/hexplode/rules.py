"""Hexplode: put counters on a board of hexagons; a full tile explodes and captures its neighbours.

Players: 2. Chance: none, or damaged tiles at the start. Hidden: nothing. No draws, no passes.
A move is a tile number, counted down the columns from the left. With damage, chance acts first: one outcome per tile,
its units of damage. Variants: side, the number of tiles along an edge (2 to 12), and damage, the probability that a
tile is damaged. Rules as in Man AHL's coder prize of 2016; the game goes back to a BBC Micro program by J. Ansell
(1982).

Players take turns to put a counter on an empty tile or on one of their own. A tile with as many counters as neighbours
hexplodes: it empties, each neighbour gets one of the counters, and the whole stack there becomes the mover's, which may
set off more. Once there are more than two counters on the board, a player without any has lost. The order of
hexplosions changes neither the board of a game that goes on nor the winner (it is chip-firing: Björner, Lovász and
Shor, 1991).

Each unit of damage swallows one counter that is put or pushed there. A mover whose last counters are swallowed loses. A
chain ends as soon as the opponent has no counters and the mover more than two on tiles, not in the air; with damage,
that can depend on the order, so counters land as in the original: depth first, on neighbours in its order.
"""

import numpy as np

from kibitz.errors import SpecError
from kibitz.games.hexplode.evaluation import EMPTY_BOARD, EVEN_ODDS, KIND, OUTSIDE, TALLEST, change, lead
from kibitz.games.hexplode.tiles import CAPACITY, LARGEST, MOST_TILES, NEIGHBOURS, SMALLEST
from kibitz.rules.contract import CHANCE, OVER, game
from kibitz.rules.rng import Stream

MOST_DAMAGE = 5
UNSETTLED = 64  # added to the kind of a stack that a chain has changed, until the chain has ended

# A position's hash is the sum of all stacks times their tiles' random numbers. With fewer than 2¹¹ counters and
# 2 × 2,000 units of damage, numbers below 2⁵⁰ never overflow.
_random = Stream("hexplode")
HASH = np.array([_random.getrandbits(50) for _ in range(MOST_TILES)], "i8")
DAMAGE_HASH = np.array([_random.getrandbits(50) for _ in range(MOST_TILES)], "i8")


@game
class Hexplode:
    side: int = 4
    damage: float = 0.0

    players = 2
    chance_first = True

    def __post_init__(self):
        if not SMALLEST <= self.side <= LARGEST:
            raise SpecError(f"Hexplode needs a side from {SMALLEST} to {LARGEST}, not {self.side}.")
        if not 0 <= self.damage < 1:
            raise SpecError(f"Hexplode needs a damage probability from 0 to below 1, not {self.damage}.")

    @property
    def tiles(self):
        return 3 * self.side * (self.side - 1) + 1

    @property
    def actions(self):
        return self.tiles

    @property
    def max_moves(self):
        return self.tiles

    @property
    def max_counters(self):
        """With this many counters on the board, a chain of hexplosions does not stop before the game is over."""
        return 3 * (5 * self.side - 4) * (self.side - 1)

    @property
    def max_plies(self):
        return self.max_counters + (self.tiles * (MOST_DAMAGE + 1) if self.damage > 0 else 0)

    @property
    def max_outcomes(self):
        return MOST_DAMAGE + 1 if self.damage > 0 else 0

    def fields(self):
        number = "i1" if self.tiles < 128 else "i2"
        return [
            ("stacks", "i1", self.tiles),  # counters on each tile; those of player 1 are negative
            ("damaged", "i1", self.tiles if self.damage > 0 else 1),  # units of damage on each tile
            ("laid", "i2"),  # tiles whose damage is decided
            ("counters", "i2", 2),  # of each player, on the board
            ("kinds", "i1", self.tiles + 1),  # of each stack, and of what lies outside the board, and …
            ("worth", "i8"),  # … the value of the position to both players: see evaluation.py
            ("hash", "i8"),
            ("turn", "i1"),
            ("winner", "i1"),  # −1 while there is none
            ("_flying", number, self.max_counters),  # the target tiles of counters in the air
            ("_changed", number, self.tiles),  # the tiles where some have landed
        ]

    def start(self, s):
        s.winner = -1
        for tile in range(self.tiles):
            s.kinds[tile] = KIND[CAPACITY[self.side, tile], TALLEST]
        s.kinds[self.tiles] = OUTSIDE
        s.worth = EMPTY_BOARD[self.side]
        if self.damage > 0:
            s.turn = CHANCE

    def chances(self, s, out, p):
        for units in range(MOST_DAMAGE + 1):
            out[units] = units
            p[units] = self.damage / MOST_DAMAGE if units else 1.0 - self.damage
        return MOST_DAMAGE + 1

    def moves(self, s, out):
        mine = 1 - 2 * s.turn
        count = 0
        for tile in range(self.tiles):
            out[count] = tile
            count += mine * s.stacks[tile] >= 0
        return count

    def noisy_moves(self, s, out):
        """The hexplosions beside a stack of the opponent's."""
        mine = 1 - 2 * s.turn
        count = 0
        for tile in range(self.tiles):
            if mine * s.stacks[tile] == CAPACITY[self.side, tile] - 1:
                out[count] = tile
                count += self.captures(s, tile, mine)
        return count

    def captures(self, s, tile, mine):
        """Whether a stack of the opponent's lies beside a tile."""
        for direction in range(CAPACITY[self.side, tile]):
            if mine * s.stacks[NEIGHBOURS[self.side, tile, direction]] < 0:
                return 1
        return 0

    def play(self, s, move):
        if self.damage > 0 and s.turn == CHANCE:
            self.lay_damage(s, move)
        elif self.damage > 0 or abs(s.stacks[move]) + 1 == CAPACITY[self.side, move]:
            self.set_off(s, move)
        else:
            self.put(s, move)

    def lay_damage(self, s, units):
        """Damage the next tile."""
        s.damaged[s.laid] = units
        s.hash += units * DAMAGE_HASH[s.laid]
        s.laid += 1
        if s.laid == self.tiles:
            s.turn = 0

    def put(self, s, move):
        """Put a counter on a tile that has room for it."""
        mine = 1 - 2 * s.turn
        s.stacks[move] += mine
        s.hash += mine * HASH[move]
        s.worth += change(self.side, s.kinds, move, s.stacks[move])
        s.counters[s.turn] += 1
        s.turn = 1 - s.turn

    def set_off(self, s, move):
        """Put a counter on a tile, and on the neighbours of every tile that hexplodes."""
        stacks, kinds, flying, changed = s.stacks, s.kinds, s._flying, s._changed
        me, opponent = s.turn, 1 - s.turn
        mine = 1 - 2 * me
        theirs = s.counters[opponent]
        total = s.counters[me] + theirs + 1
        position = s.hash
        flying[0] = move
        in_the_air = 1
        changes = 0
        while in_the_air > 0:
            in_the_air -= 1
            tile = flying[in_the_air]
            if self.damage > 0 and s.damaged[tile] > 0:
                s.damaged[tile] -= 1
                position -= DAMAGE_HASH[tile]
                total -= 1
                continue
            before = stacks[tile]
            stack = abs(before) + 1
            theirs -= stack - 1 if mine * before < 0 else 0
            if stack == CAPACITY[self.side, tile]:
                for direction in range(stack):
                    flying[in_the_air + direction] = NEIGHBOURS[self.side, tile, stack - 1 - direction]
                in_the_air += stack
                stack = 0
            stacks[tile] = mine * stack
            position += (mine * stack - before) * HASH[tile]
            if kinds[tile] < UNSETTLED:  # the evaluation waits until the chain has ended: most tiles change repeatedly
                kinds[tile] += UNSETTLED
                changed[changes] = tile
                changes += 1
            if theirs == 0 and total - in_the_air > 2:  # damage may yet swallow those in the air, so they do not count
                s.winner = me
                total -= in_the_air  # they are lost
                in_the_air = 0
        if total == theirs and theirs > 2:  # damage has swallowed every counter of the mover's
            s.winner = opponent
        for i in range(changes):
            kinds[changed[i]] -= UNSETTLED
        for i in range(changes):
            s.worth += change(self.side, kinds, changed[i], stacks[changed[i]])
        s.hash = position
        s.counters[opponent] = theirs
        s.counters[me] = total - theirs
        s.turn = opponent if s.winner < 0 else OVER

    def payoff(self, s, out):
        for player in range(2):
            out[player] = 1.0 if s.winner == player else 0.0

    def score(self, s, out):
        for player in range(2):
            out[player] = s.counters[player]

    def evaluate(self, s, out):
        mover = 1 if s.turn == 1 else 0
        ahead = lead(s.worth, mover)
        out[mover] = 0.5 + 0.5 * ahead / (EVEN_ODDS + abs(ahead))
        out[1 - mover] = 1.0 - out[mover]

    def key(self, s):
        return s.hash * 2 + s.turn
