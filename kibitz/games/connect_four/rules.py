"""Connect Four: drop discs into a standing grid; four of one's own in a row, any direction, wins.

Players: 2. Chance: none. Hidden: nothing. A full board is a draw.
A move is the column, from 0. Variants: columns and rows.
Rules as sold by Milton Bradley since 1974; solved by Allis and Allen in 1988 (the first player wins).

A player's discs are a set of bits, column by column from the bottom, one spare bit on top of each column,
so that lines do not run from one column into the next.
"""

from kibitz.errors import SpecError
from kibitz.game import OVER, game


@game
class ConnectFour:
    columns: int = 7
    rows: int = 6

    players = 2

    def __post_init__(self):
        if self.columns < 1 or self.rows < 1 or self.columns * (self.rows + 1) > 62:
            raise SpecError("Connect Four needs columns × (rows + 1) between 2 and 62.")

    @property
    def actions(self):
        return self.columns

    @property
    def max_moves(self):
        return self.columns

    @property
    def max_plies(self):
        return self.columns * self.rows

    def fields(self):
        return [
            ("discs", "i8", 2),  # each player's discs, as bits
            ("plies", "i1"),  # discs played
            ("turn", "i1"),
            ("winner", "i1"),  # −1 while there is none
        ]

    def start(self, s):
        s.winner = -1

    def moves(self, s, out):
        filled = s.discs[0] | s.discs[1]
        count = 0
        for column in range(self.columns):
            if not filled >> self.bit(column, self.rows - 1) & 1:
                out[count] = column
                count += 1
        return count

    def play(self, s, move):
        me = s.turn
        filled = s.discs[0] | s.discs[1]
        bottom = 1 << self.bit(move, 0)
        column = ((1 << self.rows) - 1) << self.bit(move, 0)
        s.discs[me] |= (filled + bottom) & column  # the carry stops at the lowest empty cell
        s.plies += 1
        if self.has_line(s.discs[me]):
            s.winner = me
            s.turn = OVER
        elif s.plies == self.columns * self.rows:
            s.turn = OVER
        else:
            s.turn = 1 - me

    def payoff(self, s, out):
        for player in range(2):
            out[player] = 0.5 if s.winner < 0 else 1.0 if s.winner == player else 0.0

    def bit(self, column, row):
        return column * (self.rows + 1) + row

    def has_line(self, discs):
        """Whether four discs stand in a row: each step pairs a disc with its neighbour in one direction."""
        for step in (1, self.rows, self.rows + 1, self.rows + 2):
            pairs = discs & discs >> step
            if pairs & pairs >> 2 * step:
                return True
        return False
