"""Positions of Mexican Train made by hand: tiles by name, trains by the numbers on the way."""

import itertools

import kibitz
from kibitz.games.mexican_train.redeal import NONE
from kibitz.games.mexican_train.rules import PLAYING, SAUCE
from kibitz.games.mexican_train.tiles import HALVES, TILE, add_tile, drop_tile, has_tile
from kibitz.rules.engine import Engine


def tile(name):
    one, other = map(int, name.split("|"))
    return int(TILE[one, other])


def name_of(number):
    low, high = HALVES[number].tolist()
    return f"{low}|{high}"


def tiles_in(game, rows):
    """The tiles of a set, by name."""
    return [name_of(number) for number in range(game.tiles) if has_tile(rows, number)]


def position(game, hands, trains=None, opened=(), gate=None, turn=0, boneyard=None, points=(), round=0):
    """A table with these hands ("3|12 4|5"), trains ({0: "12 5 7"}: from number to number), and open trains.

    All other tiles lie in the boneyard, or, if it is given, only those. Chance waits for its outcome.
    """
    s = Engine(game).start()
    for player, hand in enumerate(hands):
        for name in hand.split():
            drop_tile(s.bones, tile(name))
            add_tile(s.hand[player], tile(name))
        s.size[player] = len(hand.split())
    for train, path in (trains or {}).items():
        numbers = [int(number) for number in path.split()]
        for before, after in itertools.pairwise(numbers):
            number = int(TILE[before, after])
            drop_tile(s.bones, number)
            add_tile(s.laid, number)
            s.count += 1
            s.nth[number], s.train[number], s.by[number] = s.count, train, 0 if train == SAUCE else train
        s.end[train] = numbers[-1]
    if boneyard is not None:
        s.bones[:] = 0
        for name in boneyard.split():
            add_tile(s.bones, tile(name))
    s.left = len(tiles_in(game, s.bones))
    s.open = 1 << SAUCE | sum(1 << train for train in opened)
    s.gate = NONE if gate is None else gate
    for player, owned in enumerate(points):
        s.points[player] = owned
    s.phase, s.served, s.turn, s.round = PLAYING, 0, turn, round
    return kibitz.Table(game, deal=False, position=s)


def play(table, *names):
    for name in names:
        table.play(table.parse(name))
    return table


def names(table):
    return [table.name(move) for move in table.moves]


def open_trains(table):
    """The private trains that are open to all."""
    return [train for train in range(table.game.players) if table.state.open >> train & 1]


def points(table):
    return table.state.points.tolist()[: table.game.players]
