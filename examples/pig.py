"""Pig, complete: two players roll a die as often as they dare, and bank what they rolled; 100 points win.

On your turn, roll the die or hold. Whatever you roll is at stake; holding banks it and ends your turn. A 1 loses what
is at stake, and your turn. Nobody is forced to bank, so a game could go on for ever: here it ends after 200 turns, and
the higher score wins.

    kibitz play  examples/pig.py:Pig --vs uct:sims=2000
    kibitz arena examples/pig.py:Pig:target=50 uct:sims=200 random --games 100
    kibitz solve examples/pig.py:Pig:target=20,turns=60
"""

import kibitz

ROLL, HOLD = 0, 1


class Board(kibitz.Board):
    seats = ("Ann", "Bob")
    how_to_move = "Type roll or hold."

    def name(self, game, s, move):
        return str(move) if s.turn == kibitz.CHANCE else ("roll", "hold")[move]

    def text(self, game, s, last=None):
        return f"{s.score[0]} : {s.score[1]}, {s.at_stake} at stake, {s.turns_left} turns left"


@kibitz.game(runtime=("target", "turns"))
class Pig:
    target: int = 100
    turns: int = 200  # of both players together; far more than players who want to win need

    board = Board
    players = 2
    actions = 2
    max_moves = 2
    max_outcomes = 6
    # A roll (a move and an outcome) adds at least 2, so a turn has at most target / 2 of them, and then one hold.
    max_plies = property(lambda self: self.turns * (self.target + 2))

    def __post_init__(self):
        if not (1 <= self.target <= 1000 and 1 <= self.turns <= 1000):
            raise kibitz.SpecError("Pig needs a target and a number of turns from 1 to 1000.")

    def fields(self):
        return [("score", "i2", 2), ("at_stake", "i2"), ("turns_left", "i2"), ("player", "i1"), ("turn", "i1")]

    def start(self, s):
        s.turns_left = self.turns

    def moves(self, s, out):
        out[0] = ROLL
        out[1] = HOLD
        return 2 if s.at_stake > 0 else 1

    def chances(self, s, out, p):
        for face in range(6):
            out[face] = face + 1
            p[face] = 1 / 6
        return 6

    def play(self, s, move):
        if s.turn == kibitz.CHANCE:
            s.turn = s.player
            s.at_stake = 0 if move == 1 else s.at_stake + move
            if move == 1 or s.score[s.player] + s.at_stake >= self.target:
                self.end_turn(s)
        elif move == ROLL:
            s.turn = kibitz.CHANCE  # s.player remembers whose roll it is
        else:
            self.end_turn(s)

    def end_turn(self, s):
        s.score[s.player] += s.at_stake
        s.at_stake = 0
        s.turns_left -= 1
        is_over = s.score[s.player] >= self.target or s.turns_left == 0
        s.player = 1 - s.player
        s.turn = kibitz.OVER if is_over else s.player

    def payoff(self, s, out):
        for player in range(2):
            ahead = s.score[player] - s.score[1 - player]
            out[player] = 1.0 if ahead > 0 else 0.5 if ahead == 0 else 0.0

    def score(self, s, out):
        for player in range(2):
            out[player] = s.score[player]
