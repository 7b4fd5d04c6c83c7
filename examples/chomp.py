"""Chomp: take bites out of a bar of chocolate; the player who eats the poisoned square in the corner loses.

kibitz check examples/chomp.py:Chomp
kibitz play examples/chomp.py:Chomp --vs uct:sims=500
kibitz arena examples/chomp.py:Chomp:rows=4,columns=6 uct:sims=500 random --games 100
"""

import kibitz
from kibitz.display.scene import Piece, Scene, rect

CHOCOLATE = {"chocolate": ("#7a4a2a", "#a5714c"), "poison": ("#3f8f3a", "#7ed957")}  # in light and in dark mode


class Board(kibitz.Board):
    seats = ("Red", "Yellow")
    how_to_move = "Type a square: a1 is poisoned, b1 is to its right, a2 below it."

    def name(self, game, s, move):
        return f"{'abcdefghijkl'[move % game.columns]}{move // game.columns + 1}"

    def text(self, game, s, last=None):
        rows = ["[green]☠[/] " + "■ " * (s.width[0] - 1)] + ["■ " * width for width in s.width[1:]]
        return "\n".join(f"{row + 1} [orange4]{squares}[/]" for row, squares in enumerate(rows))

    def scene(self, game, s, viewer, last=None):
        pieces = []
        for square in range(game.actions):
            row, column = divmod(square, game.columns)
            name = self.name(game, s, square)
            fill = "none" if column >= s.width[row] else "poison" if name == "a1" else "chocolate"
            shape = rect(0.92, 0.92, corner=0.1, fill=fill, stroke="line", line=0.03)
            pieces.append(Piece(name, column + 0.5, row + 0.5, (shape,), label=name))
        return Scene(game.columns, game.rows, tuple(pieces), CHOCOLATE)

    def clicks(self, game, s, move):
        return (self.name(game, s, move),)


@kibitz.game
class Chomp:
    rows: int = 4  # fields are variants: chomp.py:Chomp:rows=3,columns=5
    columns: int = 5

    board = Board
    players = 2
    actions = property(lambda self: self.rows * self.columns)  # a move is the number of a square
    max_moves = actions
    max_plies = actions

    def fields(self):
        return [("width", "i1", self.rows), ("turn", "i1"), ("loser", "i1")]  # squares left in each row

    def start(self, s):
        s.width[:] = self.columns

    def moves(self, s, out):
        count = 0
        for row in range(self.rows):
            for column in range(s.width[row]):
                out[count] = row * self.columns + column
                count += 1
        return count

    def play(self, s, move):
        for row in range(move // self.columns, self.rows):
            s.width[row] = min(s.width[row], move % self.columns)
        s.loser = s.turn  # if that was the poisoned square
        s.turn = kibitz.OVER if s.width[0] == 0 else 1 - s.turn

    def payoff(self, s, out):
        for player in range(2):
            out[player] = 0.0 if player == s.loser else 1.0
