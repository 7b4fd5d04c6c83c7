"""A bot of your own is any class with `choose(self, view)`. This one plays the middle of the list of moves.

kibitz arena connect_four examples/middle_bot.py:MiddleBot random --games 100
"""


class MiddleBot:
    def __init__(self, luck: float = 0.2):  # options of the spec: middle_bot.py:MiddleBot:luck=0.5
        self.luck = luck

    def choose(self, view):
        if view.rng.random() < self.luck:  # the bot's own stream: the same seed gives the same game
            return view.rng.choice(view.moves)
        return view.moves[len(view.moves) // 2]
