"""SEPARO: two players grow roots across a board and count the areas that their own roots fence off.

Players: 2 (Red begins). Chance: none. Hidden: nothing. More regions win, equally many are a draw.
A move grows two roots from a stone of the mover, p1→p2→p3: a diagonal one, then a straight one that bends outward by
45°. Its number is 8·p1 + 2·diagonal + bend; the last number is the pass, which is forced when nothing else is left.
Variants: the size of the board, in points. A game by Takashi Suwa.

Points are counted row by row from the top left, (0,0). What forbids a move (p2 taken, p3 the opponent's, a sharp angle)
is never undone. So each player's list of open moves only loses members, but for those that start at new stones; and who
cannot move once never can again.
"""

import math

import numpy as np

from kibitz.errors import SpecError
from kibitz.game import OVER, game

RED, BLUE = 0, 1
BACKSLASH, SLASH = 0, 1  # the diagonals of a square

# A point is a set of bits: 1 << a for a root that leaves it in direction AROUND[a], and one for the stone's colour.
AROUND = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
STONE = np.array([1 << 8, 1 << 9])  # by player


def root(dx: int, dy: int) -> int:
    """The bit of a root in a direction."""
    return 1 << AROUND.index((dx, dy))


def sharp(dx: int, dy: int) -> int:
    """The bits of the roots that one in this direction would lie upon or make a sharp angle with."""
    a = AROUND.index((dx, dy))
    return sum(1 << b % 8 for b in (a - 1, a, a + 1))


# The shape of a move, 2·diagonal + bend, as its two steps. The opposite of a diagonal d is 3 − d.
FIRST = [(dx, dy) for dy in (-1, 1) for dx in (-1, 1) for _ in range(2)]
SECOND = [(0, dy) if shape & 1 else (dx, 0) for shape, (dx, dy) in enumerate(FIRST)]
DX, DY = (np.array(steps) for steps in zip(*FIRST, strict=True))
DX2, DY2 = (np.array(steps) for steps in zip(*SECOND, strict=True))
# By shape: the roots that a move brings to each of its points, and the roots there that forbid it.
ROOTS_1 = np.array([root(*step) for step in FIRST])
ROOTS_2 = np.array([root(-dx, -dy) | root(*step) for (dx, dy), step in zip(FIRST, SECOND, strict=True)])
ROOTS_3 = np.array([root(-dx, -dy) for dx, dy in SECOND])
SHARP_1 = np.array([sharp(*step) for step in FIRST])
SHARP_3 = np.array([sharp(-dx, -dy) for dx, dy in SECOND])
MARKS = np.random.default_rng(1).integers(1 << 62, size=(2, 8 * 19**2))  # of every player's moves, for keys


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
        # A move ends the two that leave p1 by its diagonal; it opens at most two at p2 and, if p3 is new, four there.
        # So there are never more than four new moves for two new points.
        return 2 * self.size**2 - 4

    @property
    def max_plies(self):
        return 2 * (self.size**2 - 4)  # every move takes a point, and no two passes follow each other

    def fields(self):
        return [
            ("points", "i2", self.size**2),  # the stone and the roots of each point; 0 is empty
            ("open", "i2", (2, self.max_moves)),  # each player's legal moves …
            ("options", "i2", 2),  # … and how many there are
            ("diagonals", "i4", (2, 2, self.size - 1)),  # by player and kind: the squares of each row, as bits
            ("faces", "i2", 2),  # the areas, of any size, that each player's roots make
            ("grown", "i8"),  # the marks of all moves so far, in no order
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
        """Whether a move that ends there cuts an area in two: all own stones are connected with the frame."""
        last = self.size - 1
        return points[y3 * self.size + x3] != 0 or x3 == 0 or y3 == 0 or x3 == last or y3 == last

    def close_moves(self, s, player):
        """Strike the moves of a player that are no longer legal."""
        own = s.open[player]
        kept = 0
        for i in range(s.options[player]):
            move = own[i]
            own[kept] = move  # without a branch, which nobody could foretell
            kept += self.is_open(s.points, player, move)
        s.options[player] = kept

    def open_moves(self, s, player, x, y, diagonal):
        """Add the legal ones of the two moves that leave a new stone by a diagonal."""
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
        """The areas of more than one square that a player's roots make."""
        return s.faces[player] - self.small_faces(s.diagonals[player])

    def small_faces(self, diagonals):
        """How many areas of at most one square a player's roots make.

        Without sharp angles there are five kinds: two lie between crossed squares (those with both diagonals), three on
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

            # Between two crossed squares, and in half a square with crossed ones at both its sides.
            small += count(side_by_side) + count(stacked)
            small += count(back & ~slash & above & crossed >> 1) + count(back & ~slash & below & crossed << 1)
            small += count(slash & ~back & above & crossed << 1) + count(slash & ~back & below & crossed >> 1)
            # On the frame: in a crossed square; in a corner cut off; between two diagonals that meet away from it, of
            # which two crossed squares have been counted above.
            small += count(crossed & left) + count(crossed & right)
            small += count((back & slash_below & left | slash & back_below & right) & ~stacked)
            if row == 0:
                small += count(crossed) + count((slash & left | back & right) & ~crossed)
                small += count(back & slash >> 1 & ~side_by_side)
            if row == last:
                small += count(crossed) + count((back & left | slash & right) & ~crossed)
                small += count(slash & back >> 1 & ~side_by_side)
            above = crossed
        return small

    def key(self, s):
        """Equal when the same roots have grown, in whatever order."""
        return 2 * s.grown + s.turn

    def evaluate(self, s, out):
        """Who has more regions, and more moves left to make new ones with."""
        regions = self.regions(s, RED) - self.regions(s, BLUE)
        options = s.options[RED] - s.options[BLUE]
        lead = 0.7 * regions + 0.55 * options + (0.35 if s.turn == RED else -0.35)
        out[RED] = 1.0 / (1.0 + math.exp(-lead))
        out[BLUE] = 1.0 - out[RED]

    def urgency(self, s, move):
        """1 for a move that closes an area, else 0."""
        if move == self.actions - 1:
            return 0
        shape = move & 7
        y1, x1 = divmod(move >> 3, self.size)
        return int(self.closes(s.points, x1 + DX[shape] + DX2[shape], y1 + DY[shape] + DY2[shape]))


def count(bits):
    """How many bits are set."""
    size = 0
    while bits:  # becomes one machine instruction
        bits &= bits - 1
        size += 1
    return size
