"""The result of a tournament as a picture: each bot's share of the win, or mean utility, with its interval."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from kibitz.display.axis import Axis, percent
from kibitz.display.picture import Picture
from kibitz.display.scene import Piece, Scene, Shape, circle, line, text
from kibitz.display.wording import utility_words, value_words
from kibitz.errors import KibitzError
from kibitz.rules.contract import Game
from kibitz.rules.registry import spec_of
from kibitz.tournament.statistics import Share

if TYPE_CHECKING:
    from kibitz.tournament.result import ArenaResult

WIDTH = 720
HEAD, ROW, FOOT = 46, 30, 34  # heights
MARGIN, GAP = 20, 18
SIZE, LETTER = 13.0, 7.4  # the size of the letters, and roughly the width of one
NAME_LETTERS = 32  # longer names are cut in the middle


def plotted(result: ArenaResult) -> Picture:
    """The standings, best first: a dot for each bot and a line for its interval."""
    game, even = result.game, even_payoff(result.game)
    rows = [(_short(place.bot), result.utility(place.share), place.share) for place in result.ranking if place.games]
    if not rows:
        raise KibitzError("There is nothing to plot before the first game is finished.")
    axis = payoff_axis(game, even, [paid for _, paid, _ in rows])
    words = [
        f"{value_words(game, s.share)} ({value_words(game, s.low)} to {value_words(game, s.high)})" for *_, s in rows
    ]
    left = MARGIN + LETTER * max(len(name) for name, *_ in rows) + GAP
    right = WIDTH - MARGIN - LETTER * max(map(len, words)) - GAP
    bottom = HEAD + ROW * len(rows)

    def at(value: float) -> float:
        return left + (right - left) * axis.at(value) / 100

    what = "mean utility" if game.has_utilities else "share of the win"
    title = f"{spec_of(game)}: {what}, {result.played:,} games, 95 % intervals"
    shapes = [text(title, 15, MARGIN, HEAD / 2, anchor="start", bold=True), *_grid(axis, at, bottom)]
    if even is not None:
        shapes.append(line(at(even), HEAD, at(even), bottom, 1.2, stroke="faint", dash=4))
    for number, ((name, paid, _), said) in enumerate(zip(rows, words, strict=True)):
        y = HEAD + ROW * (number + 0.5)
        shapes += [
            text(name, SIZE, MARGIN, y, anchor="start"),
            line(at(paid.low), y, at(paid.high), y, 2.2, stroke="accent"),
            *(line(at(end), y - 4, at(end), y + 4, 2.2, stroke="accent") for end in (paid.low, paid.high)),
            circle(4.5, at(paid.share), y, fill="accent"),
            text(said, SIZE, WIDTH - MARGIN, y, anchor="end"),
        ]
    scene = Scene(WIDTH, bottom + FOOT, (Piece("plot", 0, 0, tuple(shapes)),))
    return Picture(scene, WIDTH, title)


def _grid(axis: Axis, at: Callable[[float], float], bottom: float) -> Iterator[Shape]:
    for tick in axis.ticks:
        yield line(at(tick), HEAD, at(tick), bottom, 1, stroke="line")
        yield text(axis.words(tick), 12, at(tick), bottom + FOOT / 2, fill="faint")


def _words(game: Game, share: Share) -> str:
    """A share, or the utility that it stands for, with its interval."""
    at, low, high = (value_words(game, value) for value in (share.share, share.low, share.high))
    return f"{at} ({low} to {high})"


def _short(name: str) -> str:
    """A name that fits; of a long one, its beginning and its end."""
    half = NAME_LETTERS // 2
    return name if len(name) <= NAME_LETTERS else f"{name[: half - 1]}…{name[-half:]}"


def even_payoff(game: Game) -> float | None:
    """The payoff of each of equally strong bots; None if the sum of the utilities varies."""
    return None if game.utility_sum is None else game.utility_sum / game.players


def payoff_axis(game: Game, even: float | None, found: Sequence[Share]) -> Axis:
    """An axis that covers payoffs with their intervals and the even one."""
    ends = [end for took in found for end in (took.low, took.high)]
    axis = Axis.linear(ends if even is None else [even, *ends], percent)
    if game.has_utilities:
        return replace(axis, words=utility_words)
    fine = axis.ticks[1] - axis.ticks[0] < 0.01
    return replace(axis, words=partial(percent, fine=True)) if fine else axis
