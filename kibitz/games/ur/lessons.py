"""The rules of Ur in plain words."""

from __future__ import annotations

import dataclasses
from typing import Any

from kibitz.games.ur.rules import MASTERS
from kibitz.games.ur.scene import TRAYS, draw, place
from kibitz.games.ur.squares import path
from kibitz.lesson import opening
from kibitz.scene import Lesson, Piece, Scene
from kibitz.scene import path as outline

NUMBERS = {1: "one piece", 2: "two pieces", 3: "three pieces", 4: "four pieces", 5: "five pieces", 7: "seven pieces"}


def lessons(game: Any) -> list[Lesson]:
    pictured = dataclasses.replace(game, pieces=4)

    def picture(light: list[int], dark: list[int], roll: int, mover: int = 0) -> Scene:
        """A position by the steps that the pieces are on; those on no step are in hand."""
        s = opening(pictured)
        for player, steps in enumerate((light, dark)):
            for step in steps:
                s.at[player] |= 1 << step
            s.hand[player] = 4 - len(steps)
        s.roll, s.mover, s.turn = roll, mover, mover
        return draw(pictured, s)

    start = picture([], [], 2)
    pieces = NUMBERS.get(game.pieces, f"{game.pieces} pieces")
    shared = "from step 5 on" if game.rosettes == MASTERS else "from step 5 to 12"
    return [
        Lesson(
            "The race",
            f"Light and Dark race {pieces} each along the board, from their hand on the left of their tray to their "
            "home on its right. Who first has every piece home wins.",
            picture([2, 8, 11], [3, 6, 10], 3),
        ),
        Lesson(
            "The path",
            f"This is Light's path; Dark's is its mirror image. The first steps are your own; {shared} both use the "
            "same squares and meet.",
            dataclasses.replace(start, pieces=(*start.pieces, _way(game))),
        ),
        Lesson("The throw", _throw(game), picture([2], [6], 3 if game.coins == 4 else 2)),
        Lesson(
            "Sent back",
            "Land on a piece of your opponent's and it goes back to their hand. You never land on your own. "
            "Here Light can go from 4 to 6 and send Dark's piece back.",
            picture([4], [6, 9], 2),
        ),
        Lesson("Rosettes", _rosettes(game), picture([5, 2], [8], 3)),
        Lesson(
            "Home",
            "A piece leaves the board only with the exact roll. If no piece can move, you pass; if one can, you must. "
            "Here Light's 2 brings a piece home.",
            picture([game.home - 2, 7], [10], 2),
        ),
    ]


def _throw(game: Any) -> str:
    coins = "four" if game.coins == 4 else "three"
    words = f"Throw {coins} coins and count the heads: one piece goes on by so many steps. "
    nothing = "No heads, and you stay where you are." if game.coins == 4 else "No heads count four."
    return words + nothing + " Click the piece, then the square it goes to, or drag it there."


def _rosettes(game: Any) -> str:
    words = "Land on a rosette and you throw again, with any piece you like."
    if game.captures:
        words += " So you do after sending a piece back."
    if game.safe:
        return words + " And a piece on a rosette is safe: here Light may not go from 5 to 8."
    return words + " But a piece on a rosette is not safe."


def _way(game: Any) -> Piece:
    """Light's path, from the hand to home."""
    squares = path(game.rosettes, 0)
    steps = [place(squares[step]) for step in sorted(squares)]
    start, end = (steps[0][0], TRAYS[0]), (steps[-1][0], TRAYS[0] + 0.2)
    line = "M" + "L".join(f"{x:.4g},{y:.4g}" for x, y in (start, *steps, end))
    head = f"M{end[0] - 0.16:.4g},{end[1] + 0.2:.4g}L{end[0]:.4g},{end[1]:.4g}L{end[0] + 0.16:.4g},{end[1] + 0.2:.4g}"
    shapes = (
        outline(line + head, stroke="bitumen", line=0.16),
        outline(line + head, stroke="gold", line=0.09),
    )
    return Piece("way", 0, 0, shapes, "Light's path")
