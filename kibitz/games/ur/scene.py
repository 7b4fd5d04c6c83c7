"""The Royal Game of Ur as a scene: a board of lapis lazuli, shell and carnelian between two trays of pieces.

Pieces are named after their places and are alike, so that a piece that leaves one place is seen to move to another.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from kibitz.display.scene import Piece, Scene, Shape, circle, polygon, rect, text
from kibitz.display.scene import path as outline
from kibitz.display.shapes import DEPTH, dots, polar, star, stone
from kibitz.games.ur.squares import Square, path, squares
from kibitz.rules.contract import CHANCE, OVER
from kibitz.state import State

PALETTE = {
    **DEPTH,
    "seat-0": ("#f6ecd6", "#f3e7cc"),
    "seat-1": ("#20222b", "#16181f"),
    "shell": ("#f2e4c4", "#e3d3ae"),
    "lapis": ("#3f70b5", "#3a66a6"),
    "deep": ("#2a4f88", "#25457a"),
    "carnelian": ("#b4503a", "#a44632"),
    "gold": ("#f0b94a", "#e6ae42"),
    "bitumen": ("#2b2019", "#120d0a"),
    "wood": ("#93633d", "#7c5232"),
    "grain": ("#7d5232", "#684327"),
}
NAMES = "light", "dark"  # of pieces of the scene
SEATS = "Light", "Dark"
LEFT, TOP = 0.55, 1.5  # of the first square
WIDTH, HEIGHT = 9.1, 6.0
TRAY, TRAYS = 0.86, (0.52, HEIGHT - 0.52)  # their height, and where they are
HAND, HOME = 0.62, WIDTH - 0.62  # the first piece in hand, and the first at home
ROOM = 3.72  # for the pieces at either end of a tray
PIECE, IN_TRAY = 0.36, 0.8  # a piece's radius, and its scale in a tray
GAP_MIDDLE = LEFT + 5  # of the two missing squares


def draw(game: Any, s: State, seats: Sequence[str] = SEATS) -> Scene:
    """Draw a position; `seats` are what the two sides are called."""
    board = _board(game.rosettes, game.rosette_steps, tuple(seats))
    pieces = [piece for player in range(2) for piece in _pieces(game, s, player, seats[player])]
    return Scene(WIDTH, HEIGHT, (*board, *_throw(game, s, seats), *pieces), PALETTE)


def square_name(square: Square) -> str:
    return f"square-{square.row + 1}-{square.column + 1}"


def home_name(player: int) -> str:
    """The name of the tray where a player's pieces come home."""
    return f"{NAMES[player]}-home"


def piece_name(player: int, step: int) -> str:
    return f"{NAMES[player]}-{step}"


def piece_in_hand(player: int, number: int) -> str:
    return f"{NAMES[player]}-hand-{number}"


def place(square: Square) -> tuple[float, float]:
    """The centre of a square in the scene."""
    return LEFT + square.column + 0.5, TOP + square.row + 0.5


# ---------------------------------------------------------------------- moving pieces


def _pieces(game: Any, s: State, player: int, seat: str) -> list[Piece]:
    """A player's pieces: in hand, on the board and at home."""
    shapes, alike = token(player), NAMES[player]
    y, found = TRAYS[player], []
    apart = min(2 * PIECE * IN_TRAY + 0.04, ROOM / game.pieces)
    for number in range(s.hand[player]):
        name, label = piece_in_hand(player, number), f"{seat}'s piece in hand"
        found.append(Piece(name, HAND + apart * number, y, shapes, label, size=IN_TRAY, alike=alike))
    for step, square in path(game.rosettes, player).items():
        if s.at[player] >> step & 1:
            x, on_board = place(square)
            label = f"{seat}'s piece on {square.coordinates}"
            found.append(Piece(piece_name(player, step), x, on_board, shapes, label, alike=alike))
    for number in range(game.pieces - s.hand[player] - s.at[player].bit_count()):
        name, label = f"{alike}-home-{number}", f"{seat}'s piece at home"
        found.append(Piece(name, HOME - apart * number, y, shapes, label, size=IN_TRAY, alike=alike))
    return found


def landed(game: Any, s: State, move: int, seats: Sequence[str] = SEATS) -> Piece:
    """The piece that a move of the player to act moves, where it lands."""
    player, target = s.turn, move + s.roll
    after = s.copy()
    game.move_piece(after, move, target)
    pieces = _pieces(game, after, player, seats[player])
    if target == game.home:
        return pieces[-1]
    return next(piece for piece in pieces if piece.name == piece_name(player, target))


@functools.cache
def token(player: int) -> tuple[Shape, ...]:
    """A piece: a disc with a rim and five dots inlaid."""
    inlay, rim = ("deep", "bitumen") if player == 0 else ("shell", "shell")
    marks = [(0.0, 0.0), *(polar(0.19, 45 + 90 * quarter) for quarter in range(4))]
    return (
        *stone(PIECE, f"seat-{player}"),
        circle(PIECE - 0.015, stroke=rim, line=0.03, opacity=0.8),
        outline(dots(marks, 0.052), fill=inlay),
    )


def _throw(game: Any, s: State, seats: Sequence[str]) -> list[Piece]:
    """The throw, in the gap on the thrower's side; before it, all coins show tails. They tumble when thrown."""
    thrown = s.turn not in (CHANCE, OVER)
    heads = s.roll if s.roll <= game.coins else 0
    pieces = []
    for player, y in enumerate((TOP + 0.26, TOP + 2.74)):
        if player == s.mover:
            for i in range(game.coins):
                x = GAP_MIDDLE - 0.5 + 0.38 * (i % 2) + (0.19 if i == 2 == game.coins - 1 else 0.0)
                turned = 360 if thrown else 0
                pieces.append(
                    Piece(f"coin-{i}", x, y - 0.19 + 0.38 * (i // 2), coin(thrown and i < heads), turn=turned)
                )
        has_thrown = thrown and player == s.mover
        number = (text(str(s.roll), 0.72, bold=True),) if has_thrown else ()
        words = f"{seats[player]} rolls {s.roll}" if has_thrown else ""
        pieces.append(Piece(f"{NAMES[player]}-roll", GAP_MIDDLE + 0.42, y, number, words))
    return pieces


@functools.cache
def coin(heads: bool) -> tuple[Shape, ...]:
    """A coin: a star for heads, just a rim for tails."""
    face = (
        polygon(star(8, 0.12, 0.055), fill="bitumen") if heads else circle(0.1, stroke="shell", line=0.02, opacity=0.6)
    )
    return (*stone(0.17, "gold" if heads else "grain"), face)


# ---------------------------------------------------------------------- fixed pieces


@functools.cache
def _board(rosettes: int, rosette_steps: int, seats: tuple[str, str]) -> tuple[Piece, ...]:
    trays = [_tray(player) for player in range(2)]
    tiles = []
    for square in squares(rosettes):
        x, y = place(square)
        step = max(square.steps)
        has_rosette = bool(rosette_steps >> step & 1)
        label = f"{square.coordinates}{', a rosette' if has_rosette else ''}"
        tiles.append(Piece(square_name(square), x, y, tile("rosette" if has_rosette else _pattern(square)), label))
    homes = [
        Piece(
            home_name(player),
            HOME + 0.4 - (ROOM + 0.5) / 2,
            TRAYS[player],
            _goal(),
            f"{seats[player]}'s home",
        )
        for player in range(2)
    ]
    return (*trays, *homes, _frame(), _coordinates(), *tiles)


def _goal() -> tuple[Shape, ...]:
    """The hollow of a tray for pieces that have come home."""
    width = ROOM + 0.5
    return (
        rect(width, TRAY - 0.16, corner=0.34, fill="shadow", opacity=0.16),
        polygon([(x - width / 2 + 0.34, y) for x, y in star(8, 0.15, 0.07)], fill="gold", opacity=0.9),
    )


def _coordinates() -> Piece:
    """The letters below the board and the numbers beside it."""
    letters = [text(letter, 0.24, column + 0.5, 3.4, fill="faint") for column, letter in enumerate("abcdefgh")]
    numbers = [text(str(3 - row), 0.24, -0.38, row + 0.5, fill="faint") for row in range(3)]
    return Piece("coordinates", LEFT, TOP, (*letters, *numbers))


def _tray(player: int) -> Piece:
    shapes = (
        rect(WIDTH - 0.2, TRAY, 0, 0.05, corner=0.4, fill="shadow", opacity=0.25),
        rect(WIDTH - 0.2, TRAY, corner=0.4, fill="wood"),
        rect(WIDTH - 0.3, TRAY - 0.1, corner=0.36, stroke="grain", line=0.04),
    )
    return Piece(f"{NAMES[player]}-tray", WIDTH / 2, TRAYS[player], shapes)


def _frame() -> Piece:
    """The body of the board: two blocks and the bridge between them."""

    def block(grow: float) -> str:
        def corner(x: float, y: float) -> str:
            return f"{x:.4g},{y:.4g}"

        g = grow
        points = [(-g, -g), (4 + g, -g), (4 + g, 1 - g), (6 - g, 1 - g), (6 - g, -g), (8 + g, -g)]
        points += [(x, 3 - y) for x, y in reversed(points)]
        return "M" + "L".join(corner(*point) for point in points) + "Z"

    shapes = (
        outline(block(0.2), x=0.04, y=0.08, fill="shadow", stroke="shadow", line=0.16, opacity=0.28),
        outline(block(0.16), fill="bitumen", stroke="bitumen", line=0.16),
        outline(block(0.14), stroke="shell", line=0.045, opacity=0.75),
    )
    return Piece("frame", LEFT, TOP, shapes)


def _pattern(square: Square) -> str:
    """The inlay of a square, as on the board from the royal tombs: eyes and dots alternate."""
    if square.row == 1:
        return ("dots", "squares", "dots", "eyes", "dots", "squares", "eyes", "dots")[square.column]
    return ("eyes", "eyes", "dots", "eyes", "", "", "eyes", "dots")[square.column]


@functools.cache
def tile(pattern: str) -> tuple[Shape, ...]:
    """A square of the board with its inlay."""
    ground = "carnelian" if pattern == "rosette" else "lapis"
    border = (
        rect(0.95, 0.95, corner=0.05, fill=ground),
        rect(0.84, 0.84, corner=0.03, stroke="shell", line=0.025, opacity=0.8),
        outline("M-.455,.46V-.455H.46", stroke="gleam", line=0.03, opacity=0.18),
    )
    return border + INLAYS[pattern]()


def _rosette() -> tuple[Shape, ...]:
    """Eight petals, every other one gold."""
    petals = {"shell": "", "gold": ""}
    for petal in range(8):
        tip, left, right = (polar(r, 45 * petal + turn) for r, turn in ((0.38, 0), (0.27, -24), (0.27, 24)))
        curve = f"M0,0Q{left[0]:.3g},{left[1]:.3g} {tip[0]:.3g},{tip[1]:.3g}Q{right[0]:.3g},{right[1]:.3g} 0,0Z"
        petals["gold" if petal % 2 else "shell"] += curve
    return (
        outline(petals["gold"], fill="gold"),
        outline(petals["shell"], fill="shell"),
        circle(0.085, fill="carnelian"),
        circle(0.045, fill="shell"),
    )


def _eyes() -> tuple[Shape, ...]:
    centres = [(x * 0.2, y * 0.2) for x in (-1, 1) for y in (-1, 1)]
    return (
        outline(dots(centres, 0.135), stroke="shell", line=0.028, opacity=0.75),
        outline(dots(centres, 0.055), fill="shell", opacity=0.85),
    )


def _dots() -> tuple[Shape, ...]:
    centres = [(0.0, 0.0), *((x * 0.22, y * 0.22) for x in (-1, 1) for y in (-1, 1))]
    return (
        outline(dots(centres, 0.095), fill="deep"),
        outline(dots(centres, 0.06), fill="shell", opacity=0.85),
    )


def _nested() -> tuple[Shape, ...]:
    centres = [(x * 0.2, y * 0.2) for x in (-1, 1) for y in (-1, 1)]
    frames = "".join(f"M{x - 0.13:.3g},{y - 0.13:.3g}h.26v.26h-.26Z" for x, y in centres)
    return (
        outline(frames, stroke="shell", line=0.028, opacity=0.75),
        outline(dots(centres, 0.05), fill="shell", opacity=0.85),
    )


INLAYS = {"rosette": _rosette, "eyes": _eyes, "dots": _dots, "squares": _nested}
