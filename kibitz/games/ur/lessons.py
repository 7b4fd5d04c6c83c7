"""The rules of Ur in plain words."""

from __future__ import annotations

import dataclasses
from typing import Any

from kibitz.display.lesson_positions import opening
from kibitz.display.scene import Lesson, Piece, Scene
from kibitz.display.scene import path as outline
from kibitz.games.ur.rules import MASTERS
from kibitz.games.ur.scene import TRAYS, draw, place
from kibitz.games.ur.squares import path

NUMBERS = {1: "one piece", 2: "two pieces", 3: "three pieces", 4: "four pieces", 5: "five pieces", 7: "seven pieces"}


def lessons(game: Any) -> list[Lesson]:
    pictured = dataclasses.replace(game, pieces=4)

    def picture(light: list[int], dark: list[int], roll: int, mover: int = 0) -> Scene:
        """A position with pieces on the given steps and the others in hand."""
        s = opening(pictured)
        for player, steps in enumerate((light, dark)):
            for step in steps:
                s.at[player] |= 1 << step
            s.hand[player] = 4 - len(steps)
        s.roll, s.mover, s.turn = roll, mover, mover
        return draw(pictured, s)

    def at(step: int) -> str:
        return path(game.rosettes, 0)[step].coordinates

    start = picture([], [], 2)
    pieces = NUMBERS.get(game.pieces, f"{game.pieces} pieces")
    shared = "from step 5 on" if game.rosettes == MASTERS else "from step 5 to 12"
    return [
        Lesson(
            "The race",
            f"Light and Dark each race {pieces} along the board, from the hand on the left of their tray to home on "
            "the right. The first to bring every piece home wins.",
            picture([2, 8, 11], [3, 6, 10], 3),
        ),
        Lesson(
            "The path",
            f"This is Light's path; Dark's is its mirror image. The first steps are yours alone; {shared} both players "
            "use the same squares.",
            dataclasses.replace(start, pieces=(*start.pieces, _path_arrow(game))),
        ),
        Lesson("The throw", _throw(game), picture([2], [6], 3 if game.coins == 4 else 2)),
        Lesson(
            "Captures",
            "Land on an opponent's piece and it goes back to their hand. You can never land on your own. "
            f"Here Light can go from {at(4)} to {at(6)} and capture Dark's piece.",
            picture([4], [6, 9], 2),
        ),
        Lesson("Rosettes", _rosettes(game), picture([5, 2], [8], 3)),
        Lesson(
            "Home",
            "A piece needs the exact roll to come home. If you can move, you must; if you cannot, you pass. "
            "Here Light's 2 brings a piece home.",
            picture([game.home - 2, 7], [10], 2),
        ),
    ]


def _throw(game: Any) -> str:
    coins = "four" if game.coins == 4 else "three"
    words = f"Throw {coins} coins and move one piece as many steps as there are heads. "
    nothing = "With no heads, you cannot move." if game.coins == 4 else "No heads count as four."
    return words + nothing + " Click a piece, and it moves; or drag it."


def _rosettes(game: Any) -> str:
    words = "Land on a rosette and you throw again, for any of your pieces."
    if game.captures:
        words += " The same goes for a capture."
    if game.safe:
        squares = path(game.rosettes, 0)
        steps = f"from {squares[5].coordinates} to {squares[8].coordinates}"
        return words + f" And a piece on a rosette is safe: here Light cannot go {steps}."
    return words + " But a piece on a rosette is not safe."


def _path_arrow(game: Any) -> Piece:
    """An arrow along Light's path, from the hand to home."""
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
