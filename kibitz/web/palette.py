"""The colours of the seats, each by day and by night, and which of them suits a player of a game."""

from __future__ import annotations

from rich.color import Color, ColorParseError

from kibitz.board import Board
from kibitz.game import Game

# Every one stands out from the page (at least 3 : 1, as WCAG asks of what is not text) and from the others.
COLOURS = (
    ("#cf3434", "#ff7a75"),  # red
    ("#c08300", "#ffd257"),  # gold
    ("#2368c9", "#6cb2ff"),  # blue
    ("#2c8a3d", "#66d277"),  # green
    ("#8740bd", "#cb97ff"),  # violet
    ("#007f8a", "#3fd0d6"),  # teal
    ("#c4377f", "#ff8ec2"),  # pink
    ("#82643d", "#dcc49c"),  # sand
)
DAY = tuple(day for day, _ in COLOURS)
NIGHT = tuple(night for _, night in COLOURS)
BASIC = ("red", "yellow", "green", "blue", "magenta", "cyan")


def usual_colours(game: Game, board: Board) -> list[int]:
    """For each seat the colour nearest to the one it has in the terminal, as long as none is taken twice."""
    free, chosen = list(range(len(COLOURS))), []
    for player in range(game.players):
        if not free:
            free = list(range(len(COLOURS)))
        wanted = _rgb(board.colour(player))
        colour = min(free, key=lambda i: min(_distance(_rgb(shade), wanted) for shade in COLOURS[i]))
        free.remove(colour)
        chosen.append(colour)
    return chosen


def _rgb(colour: str) -> tuple[int, int, int]:
    """A colour by its name in the terminal, or as #rrggbb."""
    if colour in BASIC:  # terminals show these brighter than their values say
        colour = f"bright_{colour}"
    try:
        red, green, blue = Color.parse(colour).get_truecolor()
    except ColorParseError:
        return 128, 128, 128
    return red, green, blue


def _distance(a: tuple[int, int, int], b: tuple[int, int, int]) -> float:
    """How different two colours look, roughly: the eye sees green best and blue worst."""
    return sum(weight * (x - y) ** 2 for weight, x, y in zip((3, 4, 2), a, b, strict=True))
