"""The symmetries of Hexplode's board: five rotations and six reflections of a hexagon."""

from __future__ import annotations

from typing import Any

from kibitz.games.hexplode.tiles import Place, axial


def symmetries(game: Any) -> list[list[int]]:
    """What each tile becomes; none if tiles are damaged, which chance does one after the other."""
    if game.damage > 0:
        return []
    tiles = axial(game.side)
    number = {tile: i for i, tile in enumerate(tiles)}
    found = []
    for reflected in (False, True):
        image = [(r, q) for q, r in tiles] if reflected else tiles
        for _ in range(6):
            found.append([number[tile] for tile in image])
            image = [_rotated(tile) for tile in image]
    return found[1:]  # the first is the identity


def _rotated(tile: Place) -> Place:
    """A tile turned by 60° around the centre."""
    q, r = tile
    return -r, q + r
