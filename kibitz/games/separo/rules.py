"""SEPARO: two players grow roots across a board; the one whose roots fence off more regions wins.

Players: 2 (Red moves first). Chance: none. Hidden: nothing. Equally many regions are a draw.
A move grows two roots from a stone of the mover, p1→p2→p3: a diagonal one, then a straight one that bends outward by
45°. Its number is 8·p1 + 2·diagonal + bend; the last number is a pass, legal only when there is no other move.
Variants: size, the number of points along an edge. A game by Takashi Suwa.

Points are numbered row by row from the top left, (0,0). What makes a move illegal (p2 taken, p3 the opponent's, a sharp
angle) is never undone. So a player's list of open moves only shrinks, except for moves that start at new stones, and a
player who cannot move never can again.
"""

import math

import numpy as np

from kibitz.errors import SpecError
from kibitz.rules.contract import OVER, game
from kibitz.rules.sets import count_bits

RED, BLUE = 0, 1
BACKSLASH, SLASH = 0, 1  # the diagonals of a square

# A point is a set of bits: 1 << a for a root that leaves it in direction AROUND[a], and one for the stone's colour.
AROUND = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
STONE = np.array([1 << 8, 1 << 9])  # by player


def root(dx: int, dy: int) -> int:
    """The bit of a root in a direction."""
    return 1 << AROUND.index((dx, dy))


def sharp(dx: int, dy: int) -> int:
    """The bits of the roots that a root in this direction would overlap or make a sharp angle with."""
    a = AROUND.index((dx, dy))
    return sum(1 << b % 8 for b in (a - 1, a, a + 1))


# The shape of a move, 2·diagonal + bend, as its two steps. The opposite of a diagonal d is 3 − d.
FIRST = [(dx, dy) for dy in (-1, 1) for dx in (-1, 1) for _ in range(2)]
SECOND = [(0, dy) if shape & 1 else (dx, 0) for shape, (dx, dy) in enumerate(FIRST)]
DX, DY = (np.array(steps) for steps in zip(*FIRST, strict=True))
DX2, DY2 = (np.array(steps) for steps in zip(*SECOND, strict=True))
# By shape: the roots that a move adds to each of its points, and the existing roots there that forbid it.
ROOTS_1 = np.array([root(*step) for step in FIRST])
ROOTS_2 = np.array([root(-dx, -dy) | root(*step) for (dx, dy), step in zip(FIRST, SECOND, strict=True)])
ROOTS_3 = np.array([root(-dx, -dy) for dx, dy in SECOND])
SHARP_1 = np.array([sharp(*step) for step in FIRST])
SHARP_3 = np.array([sharp(-dx, -dy) for dx, dy in SECOND])
MARKS = np.random.default_rng(1).integers(1 << 62, size=(2, 8 * 19**2))  # random, by player and move, for keys


@game
class Separo:
    size: int = 9

    players = 2

    def __post_init__(self):
        if not 5 <= self.size <= 19:
            raise SpecError("SEPARO needs a size from 5 to 19.")

    @property
    def actions(self):
        return 8 * self.size**2 + 1

    @property
    def max_moves(self):
        # A move closes the two that leave p1 by its diagonal; it opens at most two at p2 and, if p3 is new, four there.
        # So two new points bring at most four more moves.
        return 2 * self.size**2 - 4

    @property
    def max_plies(self):
        return 2 * (self.size**2 - 4)  # every move takes a point, and there are never two passes in a row

    def fields(self):
        return [
            ("points", "i2", self.size**2),  # the stone and the roots of each point; 0 is empty
            ("open", "i2", (2, self.max_moves)),  # each player's legal moves …
            ("options", "i2", 2),  # … and how many there are
            ("diagonals", "i4", (2, 2, self.size - 1)),  # by player and kind: the squares of each row, as bits
            ("faces", "i2", 2),  # areas of any size formed by each player's roots
            ("grown", "i8"),  # the marks of all moves so far, combined by XOR
            ("turn", "i1"),
        ]

    def start(self, s):
        last = self.size - 1
        s.points[0] = s.points[self.size * last + last] = STONE[RED]
        s.points[last] = s.points[self.size * last] = STONE[BLUE]
        s.faces[RED] = s.faces[BLUE] = 1
        self.open_moves(s, RED, 0, 0, 3)
        self.open_moves(s, RED, last, last, 0)
        self.open_moves(s, BLUE, last, 0, 2)
        self.open_moves(s, BLUE, 0, last, 1)

    def moves(self, s, out):
        count = s.options[s.turn]
        if count == 0:
            out[0] = self.actions - 1
            return 1
        own = s.open[s.turn]
        for i in range(count):
            out[i] = own[i]
        return count

    def play(self, s, move):
        me = s.turn
        s.turn = 1 - me
        if move < self.actions - 1:
            self.grow(s, me, move)
            if s.options[RED] + s.options[BLUE] == 0:
                s.turn = OVER

    def grow(self, s, me, move):
        """Draw the roots of a move and bring the lists of open moves up to date."""
        points = s.points
        shape = move & 7
        y1, x1 = divmod(move >> 3, self.size)
        x2, y2 = x1 + DX[shape], y1 + DY[shape]
        x3, y3 = x2 + DX2[shape], y2 + DY2[shape]
        p2, p3 = y2 * self.size + x2, y3 * self.size + x3
        closes = self.closes(points, x3, y3)
        is_new = points[p3] == 0
        s.grown ^= MARKS[me, move]
        points[move >> 3] |= ROOTS_1[shape]
        points[p2] = STONE[me] | ROOTS_2[shape]
        points[p3] |= STONE[me] | ROOTS_3[shape]

        kind = BACKSLASH if DX[shape] == DY[shape] else SLASH
        row, square = min(y1, y2), 1 << min(x1, x2)
        s.diagonals[me, kind, row] |= square
        crosses = s.diagonals[me, 1 - kind, row] & square != 0
        s.faces[me] += int(closes) + int(crosses)

        self.close_moves(s, RED)
        self.close_moves(s, BLUE)
        # The diagonals that make no sharp angle with the new roots: one at p2, two at p3.
        diagonal, bend = shape >> 1, shape & 1
        self.open_moves(s, me, x2, y2, diagonal ^ 1 << bend)
        if is_new:
            self.open_moves(s, me, x3, y3, diagonal)
            self.open_moves(s, me, x3, y3, diagonal ^ 2 >> bend)

    def closes(self, points, x3, y3):
        """Whether a move that ends there cuts an area in two: all own stones are connected to the frame."""
        last = self.size - 1
        return points[y3 * self.size + x3] != 0 or x3 == 0 or y3 == 0 or x3 == last or y3 == last

    def close_moves(self, s, player):
        """Remove a player's moves that are no longer legal."""
        own = s.open[player]
        kept = 0
        for i in range(s.options[player]):
            move = own[i]
            own[kept] = move  # without a branch, which would be unpredictable
            kept += self.is_open(s.points, player, move)
        s.options[player] = kept

    def open_moves(self, s, player, x, y, diagonal):
        """Add the two moves that leave a new stone by a diagonal, if they are legal."""
        own = s.open[player]
        count = s.options[player]
        for shape in range(2 * diagonal, 2 * diagonal + 2):
            x3, y3 = x + DX[shape] + DX2[shape], y + DY[shape] + DY2[shape]
            if 0 <= x3 < self.size and 0 <= y3 < self.size:
                move = 8 * (y * self.size + x) + shape
                own[count] = move
                count += self.is_open(s.points, player, move)
        s.options[player] = count

    def is_open(self, points, player, move):
        """Whether a move that stays on the board and starts at a stone of the player is legal."""
        shape = move & 7
        p1 = move >> 3
        p2 = p1 + DY[shape] * self.size + DX[shape]
        p3 = p2 + DY2[shape] * self.size + DX2[shape]
        forbids = points[p1] & SHARP_1[shape] | points[p2] | points[p3] & (SHARP_3[shape] | STONE[1 - player])
        return forbids == 0

    def payoff(self, s, out):
        lead = self.regions(s, RED) - self.regions(s, BLUE)
        out[RED] = 0.5 if lead == 0 else 1.0 if lead > 0 else 0.0
        out[BLUE] = 1.0 - out[RED]

    def score(self, s, out):
        for player in range(2):
            out[player] = self.regions(s, player)

    def regions(self, s, player):
        """The number of areas larger than one square that a player's roots form."""
        return s.faces[player] - self.small_faces(s.diagonals[player])

    def small_faces(self, diagonals):
        """The number of areas of at most one square that a player's roots form.

        Without sharp angles there are five kinds: two between crossed squares (those with both diagonals), and three on
        the frame.
        """
        last = self.size - 2  # the last row and column of squares
        left, right = 1, 1 << last
        small = above = 0
        for row in range(self.size - 1):
            back, slash = diagonals[BACKSLASH, row], diagonals[SLASH, row]
            back_below = slash_below = 0
            if row < last:
                back_below, slash_below = diagonals[BACKSLASH, row + 1], diagonals[SLASH, row + 1]
            crossed, below = back & slash, back_below & slash_below
            side_by_side, stacked = crossed & crossed >> 1, crossed & below

            # Between two crossed squares, and in half a square with crossed squares on both its sides.
            small += count_bits(side_by_side) + count_bits(stacked)
            small += count_bits(back & ~slash & above & crossed >> 1)
            small += count_bits(back & ~slash & below & crossed << 1)
            small += count_bits(slash & ~back & above & crossed << 1)
            small += count_bits(slash & ~back & below & crossed >> 1)
            # On the frame: in a crossed square; in a corner that is cut off; between two diagonals that meet away from
            # it, except in two crossed squares, which were counted above.
            small += count_bits(crossed & left) + count_bits(crossed & right)
            small += count_bits((back & slash_below & left | slash & back_below & right) & ~stacked)
            if row == 0:
                small += count_bits(crossed) + count_bits((slash & left | back & right) & ~crossed)
                small += count_bits(back & slash >> 1 & ~side_by_side)
            if row == last:
                small += count_bits(crossed) + count_bits((back & left | slash & right) & ~crossed)
                small += count_bits(slash & back >> 1 & ~side_by_side)
            above = crossed
        return small

    def key(self, s):
        """Equal for the same roots, in whatever order they grew."""
        return 2 * s.grown + s.turn

    def evaluate(self, s, out):
        """Estimate the shares of the win from the regions, the open moves and the turn."""
        regions = self.regions(s, RED) - self.regions(s, BLUE)
        options = s.options[RED] - s.options[BLUE]
        lead = 0.7 * regions + 0.55 * options + (0.35 if s.turn == RED else -0.35)
        out[RED] = 1.0 / (1.0 + math.exp(-lead))
        out[BLUE] = 1.0 - out[RED]

    def urgency(self, s, move):
        """1 for a move that closes an area, otherwise 0."""
        if move == self.actions - 1:
            return 0
        shape = move & 7
        y1, x1 = divmod(move >> 3, self.size)
        return int(self.closes(s.points, x1 + DX[shape] + DX2[shape], y1 + DY[shape] + DY2[shape]))
