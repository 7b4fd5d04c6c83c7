"""A Connect Four bot that needs no kibitz, only Python: it wins if it can, prevents the loss if it can, else plays the
column nearest to the middle. It speaks the protocol of docs/protocol.md:

    kibitz arena connect_four 'cmd:python3 examples/protocol/four.py' random
"""

import json
import sys

LINES = ((1, 0), (0, 1), (1, 1), (1, -1))  # directions: columns and rows


class Bot:
    def new_game(self, columns, rows):
        self.columns, self.rows, self.plies = columns, rows, []

    def choose(self, names, seat):
        discs = {}  # (column, row) → seat
        for ply in self.plies:
            drop(discs, int(ply["name"]), ply["seat"])
        for player in (seat, 1 - seat):
            for name in names:
                if self.makes_four({**discs}, int(name), player):
                    return name
        return min(names, key=lambda name: abs(2 * int(name) - self.columns - 1))

    def makes_four(self, discs, column, player):
        row = drop(discs, column, player)
        return any(
            1 + run(discs, column, row, across, up) + run(discs, column, row, -across, -up) >= 4 for across, up in LINES
        )


def drop(discs, column, player):
    row = sum(there == column for there, _ in discs)
    discs[column, row] = player
    return row


def run(discs, column, row, across, up):
    """How many discs of the same colour follow in a direction."""
    length = 1
    while discs.get((column + length * across, row + length * up)) == discs[column, row]:
        length += 1
    return length - 1


bot, seat = Bot(), 0
for line in sys.stdin:
    question = json.loads(line)
    answer = {"id": question["id"]}
    if question["type"] == "hello":
        answer |= {"name": "four", "protocol": 1}
    elif question["type"] == "new_game":
        bot.new_game(question["variant"]["columns"], question["variant"]["rows"])
        seat = question["seat"]
    elif question["type"] == "move":
        bot.plies[question["known"] :] = question["plies"]
        answer["move"] = bot.choose(question["names"], seat)
    print(json.dumps(answer), flush=True)
