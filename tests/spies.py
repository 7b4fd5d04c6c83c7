"""Bots that cheat: they try seeds until one explains what they see, and then know what they must not know."""

from kibitz import CHANCE, Table
from kibitz.rules.rng import CHANCE_STREAM, FIRST_SEAT_STREAM, Stream, series_key

SEEDS = 10_000
SEEN = 12  # dice, enough to tell the seeds apart


class Found(Exception):
    """What a spy has found out. In a tournament it is logged as a fault."""


class Cards:
    """Compares the start of its own stream in the first game of a series; knows the whole deal of HighCard."""

    def choose(self, view):
        for seed in range(SEEDS):
            stream = Stream.of_game(series_key(seed), 0, FIRST_SEAT_STREAM + view.player)
            if stream.getstate() == view.rng.getstate():
                deal = [ply.move for ply in Table(view.game, seed).history]
                raise Found(f"seed {seed}, dealt {deal}")
        return view.moves[0]


class Dice:
    """Compares the dice it has seen in the first game of a series; knows the next one of DiceRace."""

    def choose(self, view):
        seen = [ply.move for ply in view.history if ply.turn == CHANCE]
        if len(seen) == SEEN:
            for seed in range(SEEDS):
                chance = Stream.of_game(series_key(seed), 0, CHANCE_STREAM)
                if all(die == roll(chance) for die in seen):
                    raise Found(f"seed {seed}, next {roll(chance)}")
        return view.moves[-1]


def roll(chance):
    """The die of DiceRace: 1 with a chance of two in five, 2, 3 and 4 with one in five each."""
    left, face = chance.random() - 0.4, 1
    while left >= 0 and face < 4:
        left, face = left - 0.2, face + 1
    return face
