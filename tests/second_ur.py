"""The Royal Game of Ur a second time, sharing nothing with kibitz: squares by name, tuples of pieces, no bits.

Positions are those of a player who throws: (my pieces, yours), each a sorted tuple of the steps of the pieces that are
not home, 0 in the hand. `values` solves the game by policy iteration with sparse linear equations.
"""

from collections import deque

import numpy as np
from scipy.sparse import csr_matrix, identity
from scipy.sparse.linalg import bicgstab

OWN_START, SHARED = ["A4", "A3", "A2", "A1"], [f"B{row}" for row in range(1, 9)]
BELL = [*OWN_START, *SHARED, "A8", "A7"]
MASTERS = [*OWN_START, *SHARED[:7], "C7", "C8", "B8", "A8", "A7"]
FOUR_COINS = {0: 1 / 16, 1: 4 / 16, 2: 6 / 16, 3: 4 / 16, 4: 1 / 16}
THREE_COINS = {1: 3 / 8, 2: 3 / 8, 3: 1 / 8, 4: 1 / 8}


class SecondUr:
    def __init__(self, rosettes=13, coins=4, safe=True, captures=False):
        self.path = MASTERS if rosettes == 16 else BELL
        steps = [4, 8, 12, 16] if rosettes == 16 else [4, 8, rosettes]
        self.rosettes = {self.square(step) for step in steps} | {self.square(step, True) for step in steps}
        self.home = len(self.path) + 1
        self.odds = FOUR_COINS if coins == 4 else THREE_COINS
        self.safe, self.captures = safe, captures

    def square(self, step, yours=False):
        name = self.path[step - 1]
        return name.translate(str.maketrans("AC", "CA")) if yours else name

    def moves(self, mine, yours, roll):
        """Step left → (my pieces, your pieces, whether I throw again)."""
        found = {}
        for step in sorted(set(mine)):
            target = step + roll
            if roll == 0 or target > self.home:
                continue
            rest = list(mine)
            rest.remove(step)
            if target == self.home:
                found[step] = tuple(rest), yours, False
                continue
            square = self.square(target)
            hit = [there for there in yours if there and self.square(there, True) == square]
            if target in mine or (hit and self.safe and square in self.rosettes):
                continue
            left = list(yours)
            for there in hit:
                left.remove(there)
                left.append(0)
            again = square in self.rosettes or bool(hit and self.captures)
            found[step] = tuple(sorted([*rest, target])), tuple(sorted(left)), again
        return found

    def positions(self, pieces):
        """All positions from which the game goes on, the opening first."""
        start = ((0,) * pieces, (0,) * pieces)
        known, waiting = {start: 0}, deque([start])
        while waiting:
            mine, yours = waiting.popleft()
            after = [(yours, mine)]
            for roll in self.odds:
                for me, you, again in self.moves(mine, yours, roll).values():
                    if me:
                        after.append((me, you) if again else (you, me))
            for position in after:
                if position not in known:
                    known[position] = len(known)
                    waiting.append(position)
        return known

    def values(self, pieces):
        """What every position is worth to the player who throws."""
        known = self.positions(pieces)
        choices = []  # (position, odds, [(value without another throw's, sign, position)])
        for (mine, yours), number in known.items():
            for roll, chance in self.odds.items():
                ways = []
                for me, you, again in self.moves(mine, yours, roll).values():
                    if not me:
                        ways.append((1.0, 0.0, 0))
                    else:
                        ways.append((0.0, 1.0, known[me, you]) if again else (1.0, -1.0, known[you, me]))
                choices.append((number, chance, ways or [(1.0, -1.0, known[yours, mine])]))
        values = np.full(len(known), 0.5)
        while True:
            rows, columns, signs, constant = [], [], [], np.zeros(len(known))
            for number, chance, ways in choices:
                base, sign, after = max(ways, key=lambda way: way[0] + way[1] * values[way[2]])
                constant[number] += chance * base
                rows.append(number)
                columns.append(after)
                signs.append(chance * sign)
            matrix = csr_matrix((signs, (rows, columns)), shape=(len(known), len(known)))
            equations = (identity(len(known)) - matrix).tocsr()
            better, _ = bicgstab(equations, constant, values, rtol=1e-15, atol=0, maxiter=200)
            assert np.abs(equations @ better - constant).max() < 1e-13
            if np.abs(better - values).max() < 1e-12:
                return dict(zip(known, better, strict=True))
            values = better
