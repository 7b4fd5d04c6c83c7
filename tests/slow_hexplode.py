"""Hexplode a second time, sharing nothing with kibitz: one counter lands after the other, and all is counted anew.

`python tests/slow_hexplode.py` counts the positions of hexplode:side=2,damage=0.2, which takes 20 minutes and 3 GB.
"""

import itertools

NORTH, SOUTH = (0, -1), (0, 1)
NORTH_EAST, SOUTH_EAST, NORTH_WEST, SOUTH_WEST = (1, -1), (1, 0), (-1, 0), (-1, 1)
MOST_DAMAGE = 5
FREE = 64  # added to the counters of a tile without an owner, which may be damaged


def places(side):
    """The column and the place in it of every tile."""
    return [(i, j) for i in range(2 * side - 1) for j in range(min(side + i, 3 * side - 2 - i))]


def neighbours(side):
    """The neighbours of every tile, in the order in which counters fly there."""
    tiles = {(i - (side - 1), j - min(i, side - 1)): tile for tile, (i, j) in enumerate(places(side))}
    found = []
    for q, r in tiles:
        if q < 0:
            ways = (NORTH, SOUTH, NORTH_EAST, SOUTH_EAST, NORTH_WEST, SOUTH_WEST)
        elif q > 0:
            ways = (NORTH, SOUTH, NORTH_WEST, SOUTH_WEST, NORTH_EAST, SOUTH_EAST)
        else:
            ways = (NORTH, SOUTH, NORTH_WEST, NORTH_EAST, SOUTH_WEST, SOUTH_EAST)
        found.append([tiles[q + x, r + y] for x, y in ways if (q + x, r + y) in tiles])
    return found


class SlowHexplode:
    def __init__(self, side, damage=()):
        self.near = neighbours(side)
        self.counters = [-units for units in damage] or [0] * len(self.near)  # below zero: damage
        self.owners = [None] * len(self.near)
        self.player, self.winner = 0, None

    def moves(self):
        return [tile for tile, owner in enumerate(self.owners) if owner in (None, self.player)]

    def count(self, player):
        """A player's counters that lie on tiles."""
        return sum(counters for counters, owner in zip(self.counters, self.owners, strict=True) if owner == player)

    def has_all(self, player):
        return self.count(1 - player) == 0 and self.count(player) > 2

    def play(self, tile, choose=lambda air: 0):
        """Put a counter on a tile. `choose` picks the counter in the air that lands next; by default, depth first."""
        air = [tile]
        while air and not self.has_all(self.player):
            tile = air.pop(choose(air))
            self.counters[tile] += 1
            if self.counters[tile] > 0:
                self.owners[tile] = self.player
            if self.counters[tile] == len(self.near[tile]):
                self.counters[tile], self.owners[tile] = 0, None
                air = self.near[tile] + air
        self.winner = next((player for player in (0, 1) if self.has_all(player)), None)
        self.player = 1 - self.player

    def stacks(self):
        """The counters on each tile; those of player 1 are negative."""
        signs = {None: 0, 0: 1, 1: -1}
        return [signs[owner] * counters for counters, owner in zip(self.counters, self.owners, strict=True)]

    def damage(self):
        return [max(-counters, 0) for counters in self.counters]

    def copy(self):
        twin = object.__new__(SlowHexplode)
        twin.near, twin.player, twin.winner = self.near, self.player, self.winner
        twin.counters, twin.owners = self.counters.copy(), self.owners.copy()
        return twin


def count_games(game, depth):
    """The number of games of exactly `depth` moves."""
    if game.winner is not None or depth <= 1:
        return 0 if game.winner is not None and depth else len(game.moves()) if depth else 1
    total = 0
    for tile in game.moves():
        after = game.copy()
        after.play(tile)
        total += count_games(after, depth - 1)
    return total


def layers(side, layouts):
    """The number of positions, not over, first reached after 1, 2, 3 … moves on boards damaged in these ways."""
    found, layer = set(), [packed(SlowHexplode(side, damage)) for damage in layouts]
    game = SlowHexplode(side)
    while layer:
        unexplored, layer = layer, []
        for position in unexplored:
            unpack(position, game)
            for tile in game.moves():
                after = game.copy()
                after.play(tile)
                reached = packed(after)
                if after.winner is None and reached not in found:
                    found.add(reached)
                    layer.append(reached)
        if layer:
            yield len(layer)


def packed(game):
    """A position in one byte for the player to move and one for each tile."""
    tiles = zip(game.counters, game.owners, strict=True)
    return bytes([game.player, *(n + FREE if owner is None else n + 16 * owner for n, owner in tiles)])


def unpack(position, game):
    game.player = position[0]
    game.counters = [byte - FREE if byte > 32 else byte % 16 for byte in position[1:]]
    game.owners = [None if byte > 32 else byte // 16 for byte in position[1:]]


def main():
    tiles = len(places(2))
    # To a solver, positions of a game with chance are those before an outcome and those after a move.
    counts = [(MOST_DAMAGE + 1) ** laid for laid in range(tiles)]
    for count in layers(2, itertools.product(range(MOST_DAMAGE + 1), repeat=tiles)):
        counts.append(count)
        print(f"{count:,} after {len(counts) - tiles} moves, {sum(counts):,} in all", flush=True)


if __name__ == "__main__":
    main()
