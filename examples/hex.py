"""Hex: connect your two sides of the board with a chain of your stones. There are no draws.

Two players, no chance, nothing hidden. A move is the number of a cell, row by row from the top left. The first player,
Red, connects top and bottom; Blue connects left and right. Variant: size. There is no swap rule, so Red should win
(Nash, 1949). A game by Piet Hein (1942) and John Nash (1948).

kibitz check examples/hex.py:Hex
kibitz play examples/hex.py:Hex --vs uct:ms=1000
kibitz train examples/hex.py:Hex --method zero --minutes 15
"""

import numpy as np

import kibitz
from kibitz.display.scene import Piece, Scene, circle, polygon

RED, BLUE = 0, 1
EMPTY = 0  # what is on a cell; a stone is 1 + its player
FIRST, LAST = 1, 2  # the sides that a chain reaches, as bits
AROUND = np.array([(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)])  # rows are shifted to the right, going down
COLOURS = {"cell": ("#efe6cf", "#4a4438"), "seat-0": ("#c8402f", "#e06a58"), "seat-1": ("#2f6fc8", "#5f95e0")}
HALF = 0.5774  # half the height of a hexagon of width 1


class Board(kibitz.Board):
    seats = ("Red", "Blue")
    how_to_move = "Type a cell such as c2: column, then row. Red connects top and bottom, Blue left and right."

    def name(self, game, s, move):
        return f"{chr(ord('a') + move % game.size)}{move // game.size + 1}"

    def text(self, game, s, last=None):
        signs = ("[dim]·[/]", "[bold red]R[/]", "[bold blue]B[/]")
        columns = "  ".join(chr(ord("a") + column) for column in range(game.size))
        lines = [f"   {columns}"]
        for row in range(game.size):
            cells = "  ".join(signs[s.cells[row * game.size + column]] for column in range(game.size))
            lines.append(f"{' ' * row}{row + 1:2}  {cells}")
        return "\n".join(lines)

    def scene(self, game, s, viewer, last=None):
        pieces = []
        corners = [(0, -HALF), (0.5, -HALF / 2), (0.5, HALF / 2), (0, HALF), (-0.5, HALF / 2), (-0.5, -HALF / 2)]
        for cell in range(game.actions):
            row, column = divmod(cell, game.size)
            x, y = 0.7 + column + row / 2, 0.8 + 1.5 * HALF * row
            name = self.name(game, s, cell)
            pieces.append(Piece(name, x, y, (polygon(corners, fill="cell", stroke="line", line=0.03),), label=name))
            if s.cells[cell]:
                stone = circle(0.36, fill=f"seat-{s.cells[cell] - 1}", stroke="line", line=0.02)
                pieces.append(Piece(f"stone {name}", x, y, (stone,)))
        width, height = 0.4 + 1.5 * game.size, 1.0 + 1.5 * HALF * game.size
        return Scene(width, height, tuple(pieces), COLOURS)

    def clicks(self, game, s, move):
        return (self.name(game, s, move),)


@kibitz.game
class Hex:
    size: int = 5

    board = Board
    players = 2
    actions = property(lambda self: self.size**2)
    max_moves = actions
    max_plies = actions

    def __post_init__(self):
        if not 2 <= self.size <= 19:
            raise kibitz.SpecError("Hex is played on a board of size 2 to 19.")

    def fields(self):
        return [("cells", "i1", self.size**2), ("turn", "i1"), ("winner", "i1"), ("_queue", "i2", self.size**2)]

    def start(self, s):
        s.winner = -1

    def moves(self, s, out):
        count = 0
        for cell in range(self.size**2):
            if s.cells[cell] == EMPTY:
                out[count] = cell
                count += 1
        return count

    def play(self, s, move):
        me = s.turn
        s.cells[move] = 1 + me
        if self.connects(s, move, me):
            s.winner = me
            s.turn = kibitz.OVER
        else:
            s.turn = 1 - me

    def payoff(self, s, out):
        for player in range(2):
            out[player] = 1.0 if player == s.winner else 0.0

    def connects(self, s, start, player):
        """Whether the chain of a stone reaches both sides of its player. It is marked by negative numbers meanwhile."""
        cells, queue = s.cells, s._queue
        stone = 1 + player
        queue[0] = start
        cells[start] = -stone
        found, reached = 1, 0
        at = 0
        while at < found:
            row, column = queue[at] // self.size, queue[at] % self.size
            at += 1
            along = row if player == RED else column
            if along == 0:
                reached |= FIRST
            if along == self.size - 1:
                reached |= LAST
            for direction in range(6):
                y, x = row + AROUND[direction, 0], column + AROUND[direction, 1]
                if 0 <= y < self.size and 0 <= x < self.size and cells[y * self.size + x] == stone:
                    cells[y * self.size + x] = -stone
                    queue[found] = y * self.size + x
                    found += 1
        for i in range(found):
            cells[queue[i]] = stone
        return reached == FIRST | LAST

    def symmetries(self):
        """Half a turn."""
        return [list(range(self.size**2 - 1, -1, -1))]
