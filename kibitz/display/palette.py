"""The colours of the page and of the seats, in light and dark mode, and the choice of a colour for each player."""

from __future__ import annotations

from collections.abc import Mapping

from rich.color import Color, ColorParseError

from kibitz.display.board import Board
from kibitz.rules.contract import Game

Colours = Mapping[str, tuple[str, str]]  # paint → its colour in light and in dark mode

# The paints of the page, which scenes may use. The page's style sheet is written from these (kibitz/web/assets.py).
PAGE: Colours = {
    "paper": ("#ffffff", "#20242b"),
    "ink": ("#23262b", "#e9eaec"),
    "faint": ("#5f646d", "#a4abb6"),
    "line": ("#dcd8d0", "#363c46"),
    "accent": ("#1c6e5e", "#5cc9b0"),
    "good": ("#267a37", "#6fcf82"),
    "bad": ("#b3322c", "#ff8f86"),
}
# Each contrasts with the page (at least 3 : 1, as WCAG requires of non-text elements) and differs from the others.
COLOURS = (
    ("#cf3434", "#ff7a75"),
    ("#c08300", "#ffd257"),
    ("#2368c9", "#6cb2ff"),
    ("#2c8a3d", "#66d277"),
    ("#8740bd", "#cb97ff"),
    ("#007f8a", "#3fd0d6"),
    ("#c4377f", "#ff8ec2"),
    ("#82643d", "#dcc49c"),
)
COLOUR_NAMES = ("red", "gold", "blue", "green", "violet", "teal", "pink", "sand")
DAY = tuple(day for day, _ in COLOURS)
NIGHT = tuple(night for _, night in COLOURS)
SEATS: Colours = {f"seat-{seat}": colours for seat, colours in enumerate(COLOURS)}
LOOKS = {*COLOUR_NAMES, "yellow", "orange", "purple", "brown", "grey", "black", "white", "light", "dark"}
BASIC = ("red", "yellow", "green", "blue", "magenta", "cyan")


def is_called_by_colour(board: Board) -> bool:
    """Whether a game calls its seats by their colours: Red and Blue, Light and Dark."""
    return bool(board.seats) and all(seat.lower() in LOOKS for seat in board.seats)


def usual_colours(game: Game, board: Board) -> list[int]:
    """For each seat, the colour closest to its terminal colour; no colour is used twice while others are free."""
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
    """The RGB values of a terminal colour name or of #rrggbb."""
    if colour in BASIC:  # terminals show these brighter than their nominal values
        colour = f"bright_{colour}"
    try:
        red, green, blue = Color.parse(colour).get_truecolor()
    except ColorParseError:
        return 128, 128, 128
    return red, green, blue


def _distance(a: tuple[int, int, int], b: tuple[int, int, int]) -> float:
    """Roughly how different two colours look: the eye is most sensitive to green and least to blue."""
    return sum(weight * (x - y) ** 2 for weight, x, y in zip((3, 4, 2), a, b, strict=True))
