"""Othello: enclose the other player's discs in a line to turn them over; whoever has more discs in the end wins.

Two players, no chance, nothing hidden. A move is the number of a square, row by row from the top left, or the last
number: pass, which is legal only if nothing else is. Black moves first.

kibitz check examples/othello.py:Othello
kibitz play examples/othello.py:Othello --vs uct:ms=1000
kibitz arena examples/othello.py:Othello:size=6 uct:sims=500 mc:sims=500 --games 100
"""

import numpy as np

import kibitz
from kibitz.display.scene import Piece, Scene, circle, rect

EMPTY, BLACK, WHITE = 0, 1, 2  # what is on a square: 1 + the player whose disc it is
DIRECTIONS = np.array([(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)])
COLOURS = {"felt": ("#2f8f57", "#1f6b40"), "seat-0": ("#1b1b1b", "#0d0d0d"), "seat-1": ("#fbfbf7", "#f0f0ea")}


class Board(kibitz.Board):
    seats = ("Black", "White")
    how_to_move = "Type a square such as d3 (column, then row), or pass."

    def name(self, game, s, move):
        return "pass" if move == game.size**2 else f"{chr(ord('a') + move % game.size)}{move // game.size + 1}"

    def text(self, game, s, last=None):
        columns = " ".join(chr(ord("a") + column) for column in range(game.size))
        signs = ("[dim]·[/]", "[bold]X[/]", "[bold yellow]O[/]")
        rows = [" ".join(signs[s.board[row, column]] for column in range(game.size)) for row in range(game.size)]
        return "\n".join([f"   {columns}", *(f"{number:2} {row}" for number, row in enumerate(rows, 1))])

    def scene(self, game, s, viewer, last=None):
        pieces = []
        for square in range(game.size**2):
            row, column = divmod(square, game.size)
            name = self.name(game, s, square)
            cell = rect(1, 1, fill="felt", stroke="line", line=0.03)
            pieces.append(Piece(name, column + 0.5, row + 0.5, (cell,), label=name))
            if s.board[row, column]:
                disc = circle(0.4, fill=f"seat-{s.board[row, column] - 1}", stroke="line", line=0.02)
                pieces.append(Piece(f"disc {name}", column + 0.5, row + 0.5, (disc,)))
        return Scene(game.size, game.size, tuple(pieces), COLOURS)

    def clicks(self, game, s, move):
        return () if move == game.size**2 else (self.name(game, s, move),)

    def counters(self, game, s, player):
        return {"discs": sum(s.board[row, column] == player + 1 for row, column in np.ndindex(game.size, game.size))}


@kibitz.game
class Othello:
    size: int = 8

    board = Board
    players = 2
    actions = property(lambda self: self.size**2 + 1)
    max_moves = actions
    max_plies = property(lambda self: 2 * self.size**2)  # nobody passes twice in a row

    def __post_init__(self):
        if self.size not in (4, 6, 8, 10):
            raise kibitz.SpecError("Othello is played on a board of size 4, 6, 8 or 10.")

    def fields(self):
        return [("board", "i1", (self.size, self.size)), ("turn", "i1")]

    def start(self, s):
        middle = self.size // 2
        s.board[middle - 1, middle - 1] = s.board[middle, middle] = WHITE
        s.board[middle - 1, middle] = s.board[middle, middle - 1] = BLACK

    def moves(self, s, out):
        count = 0
        for square in range(self.size**2):
            if self.is_legal(s, square, s.turn):
                out[count] = square
                count += 1
        if count == 0:
            out[0] = self.size**2  # pass
            count = 1
        return count

    def play(self, s, move):
        if move < self.size**2:
            row, column = move // self.size, move % self.size
            for d in range(8):
                for step in range(self.turned(s, row, column, d, s.turn) + 1):
                    s.board[row + step * DIRECTIONS[d, 0], column + step * DIRECTIONS[d, 1]] = s.turn + 1
        s.turn = 1 - s.turn
        if not self.can_move(s, 0) and not self.can_move(s, 1):
            s.turn = kibitz.OVER

    def payoff(self, s, out):
        self.score(s, out)
        black = 0.5 if out[0] == out[1] else 1.0 if out[0] > out[1] else 0.0
        out[0], out[1] = black, 1.0 - black

    def score(self, s, out):
        """The number of discs."""
        for player in range(2):
            out[player] = np.sum(s.board == player + 1)

    def can_move(self, s, player):
        square = 0
        while square < self.size**2 and not self.is_legal(s, square, player):
            square += 1
        return square < self.size**2

    def is_legal(self, s, square, player):
        row, column = square // self.size, square % self.size
        if s.board[row, column] == EMPTY:
            for d in range(8):
                if self.turned(s, row, column, d, player) > 0:
                    return True
        return False

    def turned(self, s, row, column, d, player):
        """How many discs a disc of the player on this square would turn over in one direction."""
        for count in range(self.size):
            row += DIRECTIONS[d, 0]
            column += DIRECTIONS[d, 1]
            outside = not (0 <= row < self.size and 0 <= column < self.size)
            if outside or s.board[row, column] == EMPTY:
                return 0
            if s.board[row, column] == player + 1:
                return count
        return 0
