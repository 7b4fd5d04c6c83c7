"""Camel Up as a scene: a track around the pyramid and the leg tiles; below it, the race piles and what everybody holds.

Camels, dice, desert tiles and leg tiles are pieces that keep their names wherever they go. Race cards lie face down on
their piles unless the viewer knows them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from kibitz.display.board import Board
from kibitz.display.scene import Piece, Scene, Shape, circle, path, polygon, rect, text
from kibitz.display.wording import counted, shortened
from kibitz.games.camelup import artwork
from kibitz.games.camelup.rules import LEG_PAY, ROLL, UNKNOWN
from kibitz.games.camelup.track import FACES
from kibitz.rules.contract import OVER
from kibitz.state import State

WIDTH = 12.0
MIDDLE_X, MIDDLE_Y = 6.0, 4.55  # of the track
BEND, STRAIGHT = 2.3, 5.1  # the radius of its bends, and the length of its straights
ROAD = 1.42
LENGTH = 2 * STRAIGHT + 2 * math.pi * BEND
PYRAMID, PYRAMID_SIZE = (3.05, 5.25), 0.87  # its base; no wider, so that fingers find the leg tiles beside it
ROLLED_X = 2.7  # the first of the dice that have been rolled, beside the camels on square 14
MARKET = (4.96, 9.6)  # the first and the last stack of leg tiles
MARKET_Y = 4.15
PILE_X, PILES_Y = (3.05, 8.95), 8.45  # the centres of the winner and the loser pile
HAND_Y = 9.95
BOX = 1.25  # the height of a player's box
CAMEL, STACKED = 1.12, 0.52  # the size of camels, and how much higher each rider stands
ROLLED = 3.0  # the size of a die that is being rolled, compared with the others
PILES = "winner", "loser"
NEUTRAL = Board()  # calls the players by their seats
CRAZY = "white", "black"
WHITE = artwork.COLOURS.index("white")
LEG_TILES = tuple(LEG_PAY.tolist())

Point = tuple[float, float]


def draw(
    game: Any, s: State, viewer: int, last: int | None, rolled: int | None = None, board: Board = NEUTRAL
) -> Scene:
    """Draw the table as a player or a spectator sees it; `last` is the move just played.

    While a roll is shown, `rolled` is its outcome. `board` says what the players are called.
    """
    holds_cards = 0 <= viewer < game.players
    boxes = _boxes(game.players, HAND_Y + 0.75 if holds_cards else HAND_Y - 0.7)
    pieces = (
        *_ground(game.squares),
        *_pyramid(game, s, rolled),
        *_players(game, s, boxes, board),
        *_piles(game, s, viewer, boxes, board),
        *(_hand(game, s, viewer) if holds_cards else ()),
        *_leg_tiles(game, s, boxes, board),
        *_desert_tiles(game, s, boxes, board),
        *_camels(game, s),
    )
    height = boxes[-1][1] + BOX / 2 + 0.15
    moved = _piece_of(game, s, last)
    return Scene(
        WIDTH,
        height,
        tuple(replace(piece, marked=True) if piece.name == moved else piece for piece in pieces),
        artwork.PALETTE,
    )


def _piece_of(game: Any, s: State, last: int | None) -> str:
    """The name of the piece that the last move put down; empty for a roll, which moves camels."""
    if last is None or last == ROLL:
        return ""
    if last < game.first_leg_bet:
        return f"tile-{(s.turns - 1) % game.players}"
    if last < game.first_race_bet:
        camel = last - game.first_leg_bet
        return leg_tile_name(camel, s.taken[camel] - 1)
    is_seen = last < game.first_unseen_bet
    pile = (last - game.first_race_bet) // game.camels if is_seen else last - game.first_unseen_bet
    return f"race-{PILES[pile]}-{s.pile[pile] - 1}"


def square_name(square: int) -> str:
    return f"square-{square}"


def leg_tile_name(camel: int, number: int) -> str:
    """A camel's leg tiles are numbered in the order in which they are taken."""
    return f"leg-{camel}-{number}"


def pile_name(pile: int) -> str:
    return f"{PILES[pile]}-pile"


def card_name(camel: int) -> str:
    """The name of the viewer's race card for a camel."""
    return f"card-{camel}"


def camel_hue(game: Any, camel: int) -> int:
    """The number of a racing camel's colour. If there is a crazy white camel, none in the race is white."""
    return camel + 1 if game.is_second and camel >= WHITE else camel


def camel_paint(game: Any, camel: int) -> str:
    if camel >= game.camels:
        return f"camel-{CRAZY[camel - game.camels]}"
    return f"camel-{camel_hue(game, camel)}"


def camel_words(game: Any, camel: int) -> str:
    """What people call a camel: "blue", "the white camel"."""
    if camel >= game.camels:
        return f"the {CRAZY[camel - game.camels]} camel"
    return artwork.COLOURS[camel_hue(game, camel)]


def camel_sign(game: Any, camel: int) -> str:
    """The initial of a camel's colour, for those who do not tell colours apart."""
    return camel_words(game, camel)[0].upper() if camel < game.camels else CRAZY[camel - game.camels][0]


# ---------------------------------------------------------------------- the track


def along(distance: float) -> tuple[float, float, bool]:
    """The point of the track at a distance clockwise from its left end, and whether camels face left there."""
    quarter = math.pi * BEND / 2
    distance %= LENGTH
    left, right = MIDDLE_X - STRAIGHT / 2, MIDDLE_X + STRAIGHT / 2
    if quarter <= distance <= quarter + STRAIGHT:
        return left + distance - quarter, MIDDLE_Y - BEND, False
    if 3 * quarter + STRAIGHT <= distance <= 3 * quarter + 2 * STRAIGHT:
        return right - (distance - 3 * quarter - STRAIGHT), MIDDLE_Y + BEND, True
    on_right = quarter < distance < 3 * quarter + 2 * STRAIGHT
    turned = distance - (STRAIGHT if on_right else 0 if distance <= quarter else 2 * STRAIGHT)
    angle = math.pi + turned / BEND
    x = (right if on_right else left) + BEND * math.cos(angle)
    return x, MIDDLE_Y + BEND * math.sin(angle), turned > 2 * quarter


@functools.cache
def place(squares: int, square: int) -> tuple[float, float, bool]:
    """The centre of a square, and whether camels face left there. Squares off the track are at the finish line."""
    x, y, left = along((square + 0.5) * LENGTH / squares if 0 <= square < squares else 0.0)
    return round(x, 3), round(y, 3), left


@functools.cache
def _ground(squares: int) -> tuple[Piece, ...]:
    left, right, bottom = MIDDLE_X - STRAIGHT / 2, MIDDLE_X + STRAIGHT / 2, MIDDLE_Y + BEND
    loop = (
        f"M{left},{MIDDLE_Y - BEND:.4g}H{right}A{BEND},{BEND} 0 0 1 {right},{bottom:.4g}"
        f"H{left}A{BEND},{BEND} 0 0 1 {left},{MIDDLE_Y - BEND:.4g}Z"
    )
    dunes = "M.3,2.2Q2,.9 4.2,1.5T8,1.1T11.7,1.9V1Q11.7,.3 11,.3H1Q.3,.3 .3,1Z"
    desert = (
        rect(WIDTH - 0.4, 7.45, MIDDLE_X, 3.93, corner=0.6, fill="dune"),
        path(dunes, fill="gleam", opacity=0.14),
        circle(0.36, 10.95, 0.95, fill="sun"),
        path(loop, stroke="track", line=ROAD + 0.14),
        path(loop, stroke="sand", line=ROAD),
    )
    x, y, _ = along(0.0)
    checks = "".join(f"M{x - 0.64 + 0.16 * i:.4g},{y - 0.16 + 0.16 * (i % 2):.4g}h.16v.16h-.16Z" for i in range(8))
    line = (
        rect(1.28, 0.32, x, y, fill="card"),
        path(checks, fill="hide"),
    )
    radius = min(0.62, 0.42 * LENGTH / squares)
    plates = []
    for square in range(squares):
        x, y, _ = place(squares, square)
        shapes = (
            circle(radius, fill="plate", stroke="track", line=0.04),
            text(str(square), min(0.36, 0.6 * radius), fill="number"),
        )
        plates.append(Piece(square_name(square), x, y, shapes, f"square {square}"))
    return Piece("desert", 0, 0, desert), Piece("finish", 0, 0, line, "the start and finish line"), *plates


def _camels(game: Any, s: State) -> list[Piece]:
    """All camels from back to front, riders after those that carry them."""
    tallest: dict[int, int] = {}
    for camel in range(game.animals):
        tallest[s.square[camel]] = max(tallest.get(s.square[camel], 0), s.height[camel])
    found = []
    for camel in range(game.animals):
        square, height = s.square[camel], s.height[camel]
        if s.leg == 0 and square < 0:
            x, y, left, step = 5.4 + 0.8 * camel, 5.5, False, 0.0
        else:
            x, y, left = place(game.squares, square)
            step = min(STACKED, 1.66 / max(tallest[square], 1))
        is_crazy = camel >= game.camels
        shapes = artwork.camel(camel_paint(game, camel), camel_sign(game, camel), left != is_crazy)
        label = f"{camel_words(game, camel)} {_where(game, square)}"
        found.append(
            (y, height, Piece(f"camel-{camel}", x, round(y + 0.34 - step * height, 3), shapes, label, size=CAMEL))
        )
    return [piece for _, _, piece in sorted(found, key=lambda placed: placed[:2])]


def _where(game: Any, square: int) -> str:
    if square < 0:
        return "behind the start"
    return f"on square {square}" if square < game.squares else "past the finish"


def _desert_tiles(game: Any, s: State, boxes: list[Point], board: Board) -> Iterator[Piece]:
    """Every player's desert tile: on the track, or with its owner."""
    for player in range(game.players):
        if s.tile[player]:
            yield placed_tile(game, player, s.tile[player], board)
        else:
            x, y = boxes[player]
            x += _box_width(game.players) / 2 - 0.42
            yield Piece(f"tile-{player}", x, y - 0.12, artwork.desert_tile(player, True), size=0.55)


def placed_tile(game: Any, player: int, tile: int, board: Board = NEUTRAL) -> Piece:
    """A player's desert tile on the track: 5 for an oasis on square 5, −5 for a mirage there."""
    x, y, _ = place(game.squares, abs(tile))
    what = "oasis" if tile > 0 else "mirage"
    label = f"{board.whose(player)} {what} on square {abs(tile)}"
    return Piece(f"tile-{player}", x, y, artwork.desert_tile(player, tile > 0), label)


# ---------------------------------------------------------------------- inside the track


def _pyramid(game: Any, s: State, rolled: int | None) -> Iterator[Piece]:
    """The pyramid with the dice in it, and below it those that have been rolled; a die being rolled is in front."""
    x, y = PYRAMID
    inside = [(-0.5, -0.35), (0.0, -0.32), (0.55, -0.4), (-0.28, -0.85), (0.24, -0.85), (-0.02, -1.32), (0.02, -1.72)]
    dice = game.camels + (1 if game.is_second else 0)
    left = [die for die in range(dice) if s.dice >> die & 1 or (die == game.camels and s.dice >> die)]
    count = counted(len(left), "die", "dice")
    yield Piece("pyramid", x, y, artwork.pyramid(), f"the pyramid with {count}: roll", size=PYRAMID_SIZE)
    if s.leg:
        yield Piece("leg", 7.28, 5.35, (text(f"Leg {s.leg}", 0.36, fill="ink", bold=True),), f"leg {s.leg}")
    in_front = None if rolled is None else min(rolled // FACES, game.camels)
    for die in sorted(range(dice), key=lambda die: die == in_front):
        label = f"the {camel_words(game, die) if die < game.camels else 'grey'} die"
        if rolled is not None and die == in_front:
            camel, number = rolled // FACES, rolled % FACES + 1
            shapes = artwork.numbered_die(camel_paint(game, camel), number)
            yield Piece(
                f"die-{die}", x, y - 0.45, shapes, f"{label} shows {number}", size=ROLLED, turn=360, marked=True
            )
            continue
        paint = "grey" if die == game.camels else camel_paint(game, die)
        if die in left:
            dx, dy = inside[die]
            at_x, at_y, where = x + PYRAMID_SIZE * dx, y + PYRAMID_SIZE * dy, "in the pyramid"
        else:
            at_x, at_y, where = ROLLED_X + 0.42 * die, y + 0.48, "rolled"
        yield Piece(f"die-{die}", round(at_x, 3), round(at_y, 3), artwork.die(paint), f"{label}, {where}")


def _leg_tiles(game: Any, s: State, boxes: list[Point], board: Board) -> Iterator[Piece]:
    """The leg tiles in their stacks, and those that players have taken."""
    owners = [s.holder[camel, number] for camel in range(game.camels) for number in range(s.taken[camel])]
    most = max(map(owners.count, owners), default=1)
    width = _box_width(game.players)
    apart = min(0.48, (width - 2.2) / most)
    held = [0] * game.players
    size = min(1.0, 4.6 / game.camels)
    for camel in range(game.camels):
        x = round(MARKET[0] + camel * (MARKET[1] - MARKET[0]) / (game.camels - 1), 3)
        paint, sign = camel_paint(game, camel), camel_sign(game, camel)
        yield Piece(f"stack-{camel}", x, MARKET_Y, artwork.no_ticket(paint), size=size)
        for number in reversed(range(game.leg_tiles)):
            name, worth = leg_tile_name(camel, number), LEG_TILES[number]
            if number >= s.taken[camel]:
                label = f"{camel_words(game, camel)} leg tile: {worth} if the camel leads"
                is_top = number == s.taken[camel]
                shapes = artwork.ticket(paint, sign, worth) if is_top else artwork.covered_ticket(paint)
                beneath = game.leg_tiles - 1 - number
                yield Piece(name, x, round(MARKET_Y - 0.07 * beneath, 3), shapes, label, size=size)
            else:
                owner = s.holder[camel, number]
                box_x, box_y = boxes[owner]
                at = round(box_x - width / 2 + 1.22 + apart * held[owner], 3)
                held[owner] += 1
                label = f"{board.whose(owner)} {camel_words(game, camel)} leg tile"
                yield Piece(name, at, box_y - 0.16, artwork.ticket(paint, sign, worth), label, size=0.54)


# ---------------------------------------------------------------------- below the track


def _piles(game: Any, s: State, viewer: int, boxes: list[Point], board: Board) -> Iterator[Piece]:
    """The race cards on the winner and the loser pile, the first card first."""
    for pile, middle in enumerate(PILE_X):
        count = s.pile[pile]
        label = f"the {PILES[pile]} pile, {counted(count, 'card')}"
        yield Piece(pile_name(pile), middle, PILES_Y, _pile_ground(pile), label)
        apart = min(0.62, 3.1 / max(count - 1, 1))
        for number in range(count):
            camel, owner = s.pile_camel[pile, number], s.pile_owner[pile, number]
            known_owner = None if owner == UNKNOWN else owner
            paint = "" if camel == UNKNOWN else camel_paint(game, camel)
            if apart < 0.3 and number < count - 1:
                shapes = artwork.covered_card(paint, known_owner)
            elif paint:
                shapes = artwork.race_card(paint, camel_sign(game, camel), known_owner)
            else:
                shapes = artwork.card_back(known_owner)
            label = "a race card" if known_owner is None else f"{board.whose(owner)} race card"
            label += f" for {camel_words(game, camel)}" if paint else ""
            x = round(middle - 0.95 + apart * number, 3)
            start = _hand_place(game, camel) if paint and owner == viewer else boxes[max(owner, 0)]
            yield Piece(f"race-{PILES[pile]}-{number}", x, PILES_Y, shapes, label, appears=start)


@functools.cache
def _pile_ground(pile: int) -> tuple[Shape, ...]:
    cup = path("M-.26,-.3H.26Q.26,.02 .06,.08V.2H.18V.28H-.18V.2H-.06V.08Q-.26,.02 -.26,-.3Z", fill="coin")
    shell = path(
        "M-.3,.16Q-.3,-.22 0,-.24Q.26,-.22 .28,.08L.4,.02Q.44,.12 .34,.18L.28,.2V.28H.16V.2H-.12V.28H-.24V.2Z",
        fill="palm",
    )
    return (
        rect(5.7, 1.36, corner=0.2, fill="dune"),
        rect(5.56, 1.22, corner=0.16, stroke="track", line=0.04),
        Shape(
            "path",
            -2.25,
            -0.12,
            d=(shell if pile else cup).d,
            fill="palm" if pile else "coin",
            stroke="hide",
            line=0.03,
        ),
        text("last" if pile else "first", 0.28, -2.25, 0.4, fill="ink"),
    )


def _hand_place(game: Any, camel: int) -> Point:
    return round(0.85 + camel * min(1.17, 7 / game.camels), 3), HAND_Y


def _hand(game: Any, s: State, viewer: int) -> Iterator[Piece]:
    """The viewer's remaining race cards, and both sides of their desert tile."""
    for camel in range(game.camels):
        if s.cards[viewer] >> camel & 1:
            x, y = _hand_place(game, camel)
            shapes = artwork.race_card(camel_paint(game, camel), camel_sign(game, camel), viewer)
            yield Piece(card_name(camel), x, y, shapes, f"your race card for {camel_words(game, camel)}")
    for name, x in (("oasis", 9.3), ("mirage", 10.75)):
        shapes = artwork.desert_tile(viewer, name == "oasis")
        yield Piece(
            name, x, HAND_Y, shapes, f"your desert tile as {'an oasis' if name == 'oasis' else 'a mirage'}", size=1.12
        )


def _box_width(players: int) -> float:
    return (WIDTH - 0.3) / (players if players <= 4 else (players + 1) // 2)


def _boxes(players: int, top: float) -> list[Point]:
    """The centres of the players' boxes."""
    across = players if players <= 4 else (players + 1) // 2
    width = _box_width(players)
    return [
        (round(0.15 + width * (player % across + 0.5), 3), round(top + BOX / 2 + (BOX + 0.08) * (player // across), 3))
        for player in range(players)
    ]


def _players(game: Any, s: State, boxes: list[Point], board: Board) -> Iterator[Piece]:
    """Each player's coins and unpaid rolls."""
    acting = s.turns % game.players if s.leg and s.turn != OVER else None
    width = _box_width(game.players)
    for player, (x, y) in enumerate(boxes):
        coins = s.coins[player]
        label = f"{board.called(player)}: {counted(coins, 'coin')}"
        if rolls := s.rolls[player]:
            label += f", {counted(rolls, 'unpaid roll')}"
        name = shortened(board.called(player), int(7 * width) - 3)
        yield Piece(f"box-{player}", x, y, _box(width, player, name, player == acting), label)
        yield Piece(f"purse-{player}", x - width / 2 + 0.55, y - 0.12, artwork.purse(coins))
        if rolls:
            earned = (
                polygon([(-0.16, 0.1), (0.16, 0.1), (0, -0.16)], fill="stone-dark", stroke="seam", line=0.02),
                text(f"×{rolls}", 0.26, 0.22, 0, anchor="start"),
            )
            yield Piece(f"rolls-{player}", x - width / 2 + 1.5, y + 0.43, earned)


@functools.cache
def _box(width: float, player: int, name: str, acts: bool) -> tuple[Shape, ...]:
    return (
        rect(width - 0.1, BOX, corner=0.2, fill="paper", stroke=f"seat-{player}", line=0.1 if acts else 0.04),
        rect(width - 0.1, BOX, corner=0.2, fill=f"seat-{player}", opacity=0.22 if acts else 0.1),
        text(name, 0.22, -width / 2 + 0.18, 0.42, fill="ink", anchor="start"),
    )
