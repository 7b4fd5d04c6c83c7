"""Whether a position of SEPARO that somebody typed is one that compiled rules can play on from.

The lists of open moves must never outgrow their room. Call a diagonal that leaves a stone without a sharp angle a way;
two moves begin with it. A move uses up a way; it opens at most one at p2 and, if p3 was empty, two there. So a player's
ways and the empty points never become more together, and there is room for as many as there are at the opening.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

from kibitz.games.separo.points import owner_of, points_of, roots_of
from kibitz.games.separo.regions import areas
from kibitz.games.separo.rules import AROUND, BACKSLASH, BLUE, MARKS, RED, ROOTS_1, ROOTS_2, SLASH, STONE, sharp
from kibitz.rules.contract import OVER
from kibitz.state import State

SEATS = "Red", "Blue"
DIAGONALS = [(dx, dy) for dx, dy in AROUND if dx and dy]
MOST_STEPS = 5000  # of the search for the moves that grew the roots

Root = frozenset[int]  # the two points that it joins


class GrownMove(NamedTuple):
    """A move whose two roots are on the board."""

    move: int
    middle: int  # p2
    roots: frozenset[Root]


def position_error(game: Any, s: State) -> str | None:
    """Why there cannot be such a position; None if there can."""
    return (
        _wrong_points(game, s)
        or next((error for player in (RED, BLUE) if (error := _wrong_side(game, s, player))), None)
        or _wrong_marks(game, s)
        or _wrong_turn(s)
    )


def _wrong_points(game: Any, s: State) -> str | None:
    """What is wrong with the stones and roots of single points."""
    size, last = game.size, game.size - 1
    red, blue = (int(stone) for stone in STONE)
    points = [int(bits) for bits in s.points]
    if any(bits and (bits < 0 or bits >> 8 not in (red >> 8, blue >> 8)) for bits in points):
        return "A point has neither one stone nor none."
    corners = points[0], points[size * last + last], points[last], points[size * last]
    if not all(bits & stone for bits, stone in zip(corners, (red, red, blue, blue), strict=True)):
        return "Red's first stones are in the corners at the top left and bottom right, Blue's in the other two."
    for point, bits in enumerate(points):
        y, x = divmod(point, size)
        for direction, (dx, dy) in enumerate(AROUND):
            if not bits >> direction & 1:
                continue
            if not (0 <= x + dx < size and 0 <= y + dy < size):
                return "A root leaves the board."
            end = points[point + dy * size + dx]
            if not end >> (direction + 4) % 8 & 1 or end >> 8 != bits >> 8:
                return "A root does not join two stones of one colour."
            if bits >> (direction + 1) % 8 & 1:
                return "Two roots make a sharp angle."
    return None


def _wrong_side(game: Any, s: State, player: int) -> str | None:
    """What is wrong with all that a player has, and with the fields that count it."""
    if _stones(s, player) - _connected(game, s, player):
        return f"A stone of {SEATS[player]}'s is not connected with the corners from which {SEATS[player]} grows."
    if _ways(game, s, player) + list(s.points).count(0) > game.max_moves // 2:
        return f"{SEATS[player]}'s roots leave more moves open than can ever be."
    diagonals = _diagonals(game, s, player)
    if s.diagonals[player].tolist() != diagonals:
        return f"The field 'diagonals' does not belong to {SEATS[player]}'s roots; it should be {diagonals}."
    faces = sum(1 for _ in areas(game, s, player))
    if s.faces[player] != faces:
        return f"The field 'faces' does not belong to {SEATS[player]}'s roots; it should be {faces}."
    found, options = _open_moves(game, s, player), s.options[player]
    if options != len(found) or sorted(s.open[player].tolist()[:options]) != found:
        return f"The field 'open' should begin with {SEATS[player]}'s moves, of which there are {len(found)}."
    return None


def _wrong_turn(s: State) -> str | None:
    if max(s.options[RED], s.options[BLUE]) == 0:
        return None if s.turn == OVER else f"Nobody can move, so turn is {OVER}."
    return None if s.turn in (RED, BLUE) else "The turn is that of player 0 or 1."


def _wrong_marks(game: Any, s: State) -> str | None:
    """Whether no moves that would have grown these roots have the marks that the position has."""
    red, blue = ({_marks(player, moves) for moves in _grown(game, s, player)} for player in (RED, BLUE))
    if not red or not blue:
        return "The roots are not those of whole moves: each grows a diagonal root and a straight one."
    if not any(s.grown ^ marks in blue for marks in red):
        return "The field 'grown' does not belong to these roots."
    return None


def _marks(player: int, moves: tuple[int, ...]) -> int:
    found = 0
    for move in moves:
        found ^= int(MARKS[player, move])
    return found


# ---------------------------------------------------------------------- what a position's points say


def _stones(s: State, player: int) -> set[int]:
    return {point for point in range(len(s.points)) if owner_of(s, point) == player}


def _connected(game: Any, s: State, player: int) -> set[int]:
    """The stones that are connected with a player's corners."""
    last = game.size - 1
    found = [0, game.size * last + last] if player == RED else [last, game.size * last]
    seen = set(found)
    for point in found:
        for direction, (dx, dy) in enumerate(AROUND):
            other = point + dy * game.size + dx
            if s.points[point] >> direction & 1 and other not in seen:
                seen.add(other)
                found.append(other)
    return seen


def _ways(game: Any, s: State, player: int) -> int:
    """The number of diagonals that leave a stone of the player's without a sharp angle, and stay on the board."""
    return sum(
        0 <= point % game.size + dx < game.size and 0 <= point // game.size + dy < game.size
        for point in _stones(s, player)
        for dx, dy in DIAGONALS
        if not s.points[point] & sharp(dx, dy)
    )


def _diagonals(game: Any, s: State, player: int) -> list[list[int]]:
    """By kind: the squares of each row that have a diagonal root of the player's, as bits."""
    rows = [[0] * (game.size - 1) for _ in (BACKSLASH, SLASH)]
    for (x, y), (to_x, to_y) in roots_of(game, s, player):
        if x != to_x and y != to_y:
            rows[BACKSLASH if to_x > x else SLASH][y] |= 1 << min(x, to_x)
    return rows


def _open_moves(game: Any, s: State, player: int) -> list[int]:
    """A player's legal moves, in order."""
    moves = (8 * point + shape for point in sorted(_stones(s, player)) for shape in range(8))
    on_board = (m for m in moves if all(0 <= x < game.size and 0 <= y < game.size for x, y in points_of(game, m)))
    return [move for move in on_board if game.is_open(s.points, player, move)]


# ---------------------------------------------------------------------- the moves that grew the roots


def _grown(game: Any, s: State, player: int) -> Iterator[tuple[int, ...]]:
    """The sets of moves that can have grown a player's roots. Around a circle there are two, otherwise it is clear."""
    size = game.size
    roots = {frozenset((y * size + x, v * size + u)) for (x, y), (u, v) in roots_of(game, s, player)}
    return _covers(roots, _grown_moves(game, s, player), itertools.count())


def _grown_moves(game: Any, s: State, player: int) -> list[GrownMove]:
    corners, found = _corners(game), []
    for point in sorted(_stones(s, player)):
        for shape in range(8):
            places = points_of(game, 8 * point + shape)
            if not all(0 <= x < game.size and 0 <= y < game.size for x, y in places):
                continue
            first, middle, end = (y * game.size + x for x, y in places)
            has_roots = s.points[first] & int(ROOTS_1[shape]) and not ~s.points[middle] & int(ROOTS_2[shape])
            if has_roots and middle not in corners:
                roots = frozenset((frozenset((first, middle)), frozenset((middle, end))))
                found.append(GrownMove(8 * point + shape, middle, roots))
    return found


def _corners(game: Any) -> set[int]:
    last = game.size - 1
    return {0, last, game.size * last, game.size * last + last}


def _covers(roots: set[Root], moves: list[GrownMove], steps: Iterator[int]) -> Iterator[tuple[int, ...]]:
    """The sets of moves that grow every root once, and no two of them through the same middle."""
    if not roots:
        yield ()
        return
    if next(steps) > MOST_STEPS:
        return
    through = {root: [move for move in moves if root in move.roots] for root in roots}
    for move in min(through.values(), key=len):
        others = [other for other in moves if not other.roots & move.roots and other.middle != move.middle]
        for cover in _covers(roots - move.roots, others, steps):
            yield move.move, *cover
