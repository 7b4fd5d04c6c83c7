"""Mexican Train as a scene: trains that fan out from the engine, the boneyard, and the viewer's hand.

Tiles keep their names wherever they lie. Only the last tiles of a long train are spread out; the others lie in a pile
before them. The hand begins with the longest sequence for the viewer's own train, followed by the rest.
"""

from __future__ import annotations

import functools
from typing import Any

from kibitz.display.board import Board
from kibitz.display.scene import Piece, Scene, Shape, path, rect, text
from kibitz.display.shapes import DEPTH
from kibitz.display.wording import counted, shortened
from kibitz.games.mexican_train.hand_hint import arrange_hand
from kibitz.games.mexican_train.rules import SAUCE, TRAINS
from kibitz.games.mexican_train.tiles import HALVES
from kibitz.state import State

PALETTE = {
    **DEPTH,
    "felt": ("#2f6f52", "#1c4433"),
    "bed": ("#28604a", "#173a2b"),
    "chalk": ("#f4f0e2", "#e9e3d0"),
    "rail": ("#8fb5a1", "#5f8a76"),
    "bone": ("#fbf6e8", "#f0e9d6"),
    "edge": ("#b9ae90", "#8d8468"),
    "letter": ("#23262b", "#23262b"),
    "back": ("#6b3f2a", "#5a3524"),
    "open": ("#ffd166", "#ffd166"),
    "gate": ("#ff8f7a", "#ff8f7a"),
    "number-0": ("#5b6068", "#5b6068"),
    "number-1": ("#c0392b", "#c0392b"),
    "number-2": ("#1f6fb5", "#1f6fb5"),
    "number-3": ("#1e8449", "#1e8449"),
    "number-4": ("#b9570b", "#b9570b"),
    "number-5": ("#7d3fa3", "#7d3fa3"),
    "number-6": ("#0e7c86", "#0e7c86"),
    "number-7": ("#b0306f", "#b0306f"),
    "number-8": ("#6b6a10", "#6b6a10"),
    "number-9": ("#28429c", "#28429c"),
    "number-10": ("#8c3b1d", "#8c3b1d"),
    "number-11": ("#2d6a4f", "#2d6a4f"),
    "number-12": ("#23262b", "#23262b"),
}
WIDTH = 12.0
LEAST_ROW, LEAST_ROWS = 1.13, 4.4  # from train to train, and all trains together
TOP = 0.25
ENGINE_X = 0.85
LABEL_X, LABEL = 2.75, 1.75  # the centre and the width of the trains' labels
FIRST_X, LAST_X = 3.85, 11.05  # where trains begin and how far they reach
BED_X = 11.75  # how far their beds reach
LONG, SHORT = 0.98, 0.54  # a tile on a train
UPRIGHT = 0.76, 1.42  # an upright tile
HELD = 1.3  # the scale of tiles in hand: on a phone, too, a finger can tell them apart
HAND_TILE = UPRIGHT[0] * HELD, UPRIGHT[1] * HELD
HAND_APART = 1.13
NEUTRAL = Board()  # calls the players by their seats

Point = tuple[float, float]


def draw(game: Any, s: State, viewer: int, last: int | None, board: Board = NEUTRAL) -> Scene:
    """Draw the table as a player or a spectator sees it; `last` is the move just played."""
    rows = _rows(game.players)
    middle, bottom = sum(rows.values()) / len(rows), rows[game.players - 1] + 0.5
    boneyard = round(bottom - 0.62, 3)
    hand = _hand(game, s, viewer, bottom, (ENGINE_X, boneyard)) if 0 <= viewer < game.players else []
    height = round(max((piece.y + HAND_TILE[1] / 2 for piece in hand), default=bottom) + 0.25, 3)
    engine = upright(game.highest, game.highest, 0.8)
    pieces = [
        _ground(tuple(rows.values()), height),
        Piece("engine", ENGINE_X, middle, engine, f"the engine, {game.highest}|{game.highest}"),
        _boneyard(s, boneyard, last == game.draw_move),
    ]
    passed = (s.turn - 1) % game.players if last == game.pass_move and s.turn >= 0 else None
    for train, y in rows.items():
        pieces += [_label(s, train, y, train == passed, board), _bed(s, train, y, board)]
    laid = laid_tiles(game, s)
    origins = {player: (LABEL_X, y) for player, y in rows.items()}
    for train, y in rows.items():
        pieces += _train(game, s, laid[train], y, origins, last)
    return Scene(WIDTH, height, (*pieces, *hand), PALETTE)


def laid_tiles(game: Any, s: State) -> dict[int, list[int]]:
    """The tiles of every train, in order."""
    order, trains = s.nth.tolist(), s.train.tolist()
    laid: dict[int, list[int]] = {train: [] for train in range(TRAINS)}
    for tile in sorted(range(game.tiles), key=order.__getitem__):
        if order[tile]:
            laid[trains[tile]].append(tile)
    return laid


def tile_name(tile: int) -> str:
    return f"tile-{HALVES[tile, 0]}-{HALVES[tile, 1]}"


def train_words(board: Board, train: int) -> str:
    """What people call a train."""
    return "the Mexican train" if train == SAUCE else f"{board.whose(train)} train"


def train_name(train: int) -> str:
    return "sauce" if train == SAUCE else f"train-{train}"


@functools.cache
def _rows(players: int) -> dict[int, float]:
    """The vertical place of every train, the Mexican train first."""
    trains = (SAUCE, *range(players))
    apart = max(LEAST_ROW, LEAST_ROWS / len(trains))
    return {train: round(TOP + apart * (place + 0.5), 3) for place, train in enumerate(trains)}


# ---------------------------------------------------------------------- tiles


@functools.cache
def lying(left: int, right: int) -> tuple[Shape, ...]:
    """A tile along a train."""
    return (
        rect(LONG, SHORT, corner=0.08, fill="bone", stroke="edge", line=0.03),
        path(f"M0,{-SHORT / 2 + 0.07:.3g}V{SHORT / 2 - 0.07:.3g}", stroke="edge", line=0.025),
        text(str(left), 0.38 if left < 10 else 0.29, -LONG / 4, 0, fill=f"number-{left}", bold=True),
        text(str(right), 0.38 if right < 10 else 0.29, LONG / 4, 0, fill=f"number-{right}", bold=True),
    )


@functools.cache
def upright(above: int, below: int, scale: float) -> tuple[Shape, ...]:
    """An upright tile: a double across a train, or one in the hand."""
    width, height = UPRIGHT[0] * scale, UPRIGHT[1] * scale
    return (
        rect(width, height, corner=0.12 * scale, fill="bone", stroke="edge", line=0.04 * scale),
        path(f"M{-width / 2 + 0.1 * scale:.3g},0H{width / 2 - 0.1 * scale:.3g}", stroke="edge", line=0.03 * scale),
        text(str(above), (0.5 if above < 10 else 0.4) * scale, 0, -height / 4, fill=f"number-{above}", bold=True),
        text(str(below), (0.5 if below < 10 else 0.4) * scale, 0, height / 4, fill=f"number-{below}", bold=True),
    )


ACROSS = 0.58  # the scale of a double across a train
PILE = 0.5  # the width of the pile of a train's first tiles


def _train(game: Any, s: State, tiles: list[int], y: float, origins: dict[int, Point], last: int | None) -> list[Piece]:
    """The tiles of a train, end to end. If there is no room for all, the first ones lie in a pile."""
    lengths = [_length(tile) for tile in tiles]
    piled = 0
    while sum(lengths[piled:]) > LAST_X - FIRST_X - (PILE if piled else 0.0):
        piled += 1
    x = FIRST_X + (PILE if piled else 0.0)
    pieces, number = [], game.highest
    for place, tile in enumerate(tiles):
        low, high = HALVES[tile].tolist()
        following = low + high - number
        shapes = upright(low, low, ACROSS) if low == high else lying(number, following)
        middle = FIRST_X + PILE / 2 if place < piled else x + lengths[place] / 2
        x += lengths[place] if place >= piled else 0.0
        is_last = last is not None and last < game.draw_move and tile == last // TRAINS
        pieces.append(
            Piece(
                tile_name(tile),
                round(middle, 3),
                y,
                shapes,
                f"{low}|{high}",
                size=0.5 if place < piled else 1.0,
                marked=is_last,
                appears=origins[s.by[tile]],
            )
        )
        number = following
    if piled:
        shapes = (*upright(0, 0, ACROSS)[:1], text(f"+{piled}", 0.26, fill="letter"))
        label = counted(piled, "more tile")
        pieces.insert(piled, Piece(f"pile-{tile_name(tiles[0])}", FIRST_X + PILE / 2, y, shapes, label))
    return pieces


def _length(tile: int) -> float:
    """The length of a tile on a train."""
    return 0.03 + (UPRIGHT[0] * ACROSS if HALVES[tile, 0] == HALVES[tile, 1] else LONG)


# ---------------------------------------------------------------------- the table


@functools.cache
def _ground(rows: tuple[float, ...], height: float) -> Piece:
    """The felt, and the rails from the engine to every train."""
    middle, end = sum(rows) / len(rows), LABEL_X - LABEL / 2
    rails = "".join(
        f"M{ENGINE_X},{middle:.4g}C{ENGINE_X + 0.9:.3g},{middle:.4g} {ENGINE_X + 0.3:.3g},{y:.4g} {end:.4g},{y:.4g}"
        for y in rows
    )
    shapes = (
        rect(WIDTH - 0.16, height - 0.16, WIDTH / 2, height / 2, corner=0.4, fill="felt"),
        path(rails, stroke="rail", line=0.2, dash=0.07, opacity=0.7),
        path(rails, stroke="rail", line=0.09),
        path(rails, stroke="felt", line=0.04),
    )
    return Piece("ground", 0, 0, shapes)


def _label(s: State, train: int, y: float, is_last: bool, board: Board) -> Piece:
    """The label of a train: its owner, with their tiles and points."""
    if train == SAUCE:
        sign = (rect(LABEL, 0.6, corner=0.14, fill="bone"), text("Mexican train", 0.21, fill="letter", bold=True))
        return Piece("label-sauce", LABEL_X, y, sign, "the Mexican train, open to all")
    name, points, tiles = board.called(train), s.points[train], counted(s.size[train], "tile")
    acts, left = s.turn == train, -LABEL / 2
    shapes = (
        rect(LABEL, 0.74, corner=0.14, fill="bone", stroke="open" if acts else "edge", line=0.08 if acts else 0.03),
        rect(0.16, 0.5, left + 0.2, 0, corner=0.05, fill=f"seat-{train}"),
        text(shortened(name, 10), 0.24, left + 0.38, -0.16, fill="letter", bold=True, anchor="start"),
        text(f"{tiles} · {points}", 0.22, left + 0.38, 0.16, fill="letter", anchor="start"),
    )
    label = f"{name}: {tiles} in hand, {counted(points, 'point')}"
    return Piece(f"label-{train}", LABEL_X, y, shapes, label, marked=is_last)


def _bed(s: State, train: int, y: float, board: Board) -> Piece:
    """The bed of a train, to be clicked to lay a tile there. It shows if the train is open or the gate is shut."""
    state = "gate" if s.gate == train else "open" if s.open >> train & 1 else "closed"
    about = {"gate": ", the gate is shut here", "open": ", open", "closed": ""}[state]
    label = f"{train_words(board, train)}, ending in {s.end[train]}{about}"
    return Piece(train_name(train), (FIRST_X + BED_X) / 2, y, bed(state), label)


@functools.cache
def bed(state: str) -> tuple[Shape, ...]:
    width, height = BED_X - FIRST_X + 0.2, 1.0
    ground = rect(width, height, corner=0.16, fill="bed")
    if state == "closed":
        return (ground,)
    dash = 0.2 if state == "open" else 0.0
    return (
        ground,
        rect(width, height, corner=0.16, stroke=state, line=0.06, dash=dash),
        text(state, 0.26, width / 2 - 0.14, 0, fill=state, bold=True, anchor="end"),
    )


def _boneyard(s: State, y: float, is_last: bool) -> Piece:
    backs = [
        rect(0.62, 0.96, 0.06 * i - 0.06, -0.04 * i, corner=0.1, fill="back", stroke="edge", line=0.03)
        for i in range(min(3, s.left))
    ]
    empty = rect(0.62, 0.96, corner=0.1, stroke="rail", line=0.03, dash=0.08)
    shapes = (*(backs or [empty]), text(str(s.left), 0.32, 0.06, -0.08, fill="chalk", bold=True))
    label = f"the boneyard, {counted(s.left, 'tile')}: draw"
    return Piece("boneyard", ENGINE_X, y, shapes, label, marked=is_last)


# ---------------------------------------------------------------------- the hand


def _hand(game: Any, s: State, viewer: int, top: float, boneyard: Point) -> list[Piece]:
    """The viewer's tiles: first a sequence for their train, as it would lie there, then the others by pips."""
    rows = [s.hand[viewer, number] for number in range(game.highest + 1)]
    sequence, others = arrange_hand(rows, s.end[viewer])
    a_row = int((WIDTH - 0.6) / HAND_APART)
    pieces = []
    for place, (above, below) in enumerate((*sequence, *others)):
        gap = 0.2 if len(sequence) <= place < a_row else 0.0
        x = 0.25 + HAND_APART * (place % a_row + 0.5) + gap
        y = top + 0.4 + HAND_TILE[1] / 2 + (HAND_TILE[1] + 0.12) * (place // a_row)
        low, high = min(above, below), max(above, below)
        shapes, label = upright(above, below, HELD), f"{low}|{high} in your hand"
        pieces.append(Piece(f"tile-{low}-{high}", round(x, 3), round(y, 3), shapes, label, appears=boneyard))
    if len(sequence) > 1:
        width = HAND_APART * min(len(sequence), a_row) - 0.14
        bracket = path(f"M0,.1V0H{width:.4g}V.1", stroke="open", line=0.05)
        label = f"a sequence of {len(sequence)} tiles for your train"
        pieces.append(Piece("sequence", 0.32, round(top + 0.22, 3), (bracket,), label))
    return pieces
