"""Connect Four: drop discs into an upright grid; four in a row, in any direction, wins.

Players: 2. Chance: none. Hidden: nothing. A full board is a draw.
A move is a column, from 0. Variants: columns and rows.
Rules as published by Milton Bradley since 1974; solved by Allis and Allen in 1988 (the first player wins).

Each player's discs are a bitboard: column by column, bottom to top, with a spare bit above each column so that
no line wraps into the next one.
"""

from kibitz.errors import SpecError
from kibitz.rules.contract import OVER, game
from kibitz.rules.sets import count_bits

ODD = 0x5555_5555_5555_5555  # every other bit, from the lowest


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
        """Whether there are four in a row. In each direction, neighbouring cells are `step` bits apart."""
        for step in (1, self.rows, self.rows + 1, self.rows + 2):
            pairs = discs & discs >> step
            if pairs & pairs >> 2 * step:
                return True
        return False

    def evaluate(self, s, out):
        """Estimate the shares of the win from open lines, threats (cells that complete a line) and the turn.

        The weights were fitted to 1,500 solved positions on the standard board. Late in the game nobody wants to play
        below a threat; with an even number of rows, this favours the first player's threats in odd rows and the
        second player's in even ones.
        """
        filled = s.discs[0] | s.discs[1]
        odd = self.bottom * (ODD & (1 << self.rows) - 1)
        lead = 1.4 if s.turn == 0 else -1.4
        for player in range(2):
            open_lines = self.count_lines(self.cells & ~s.discs[1 - player])
            threats = self.completing(s.discs[player]) & self.cells & ~filled
            own_rows = odd if player == 0 else ~odd
            worth = 0.2 * open_lines + 0.8 * count_bits(threats) + 0.9 * count_bits(threats & own_rows)
            lead += worth if player == 0 else -worth
        out[0] = 0.5 + 0.5 * lead / (2.0 + abs(lead))
        out[1] = 1.0 - out[0]

    @property
    def bottom(self):
        """The lowest cell of each column."""
        return ((1 << self.columns * (self.rows + 1)) - 1) // ((1 << self.rows + 1) - 1)

    @property
    def cells(self):
        return self.bottom * ((1 << self.rows) - 1)

    def count_lines(self, cells):
        """The number of lines of four within a set of cells."""
        lines = 0
        for step in (1, self.rows, self.rows + 1, self.rows + 2):
            pairs = cells & cells >> step
            lines += count_bits(pairs & pairs >> 2 * step)
        return lines

    def completing(self, discs):
        """The cells that would complete four in a row; may include filled cells and bits off the board."""
        found = 0
        for step in (1, self.rows, self.rows + 1, self.rows + 2):
            pairs = discs & discs >> step
            threes = pairs & discs >> 2 * step
            found |= threes >> step | threes << 3 * step
            found |= (discs & pairs >> 2 * step) << step | (pairs & discs >> 3 * step) << 2 * step
        return found
