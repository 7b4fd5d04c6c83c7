"""The odds of a position: as a table for the terminal, as a JSON document, and as a picture."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from kibitz.compiler import compiled, native, numbers, records
from kibitz.display.board import board_of
from kibitz.errors import KibitzError
from kibitz.games.camelup.board import CAMELS, INK, camel_tag
from kibitz.games.camelup.leg_odds import foresee, new_odds
from kibitz.games.camelup.rules import LEG_PAY, SECOND_PAY, WRONG, CamelUp
from kibitz.games.camelup.scene import camel_hue, camel_words
from kibitz.games.camelup.track import FACES
from kibitz.rules.contract import OVER
from kibitz.rules.registry import spec_of
from kibitz.rules.rng import Stream
from kibitz.state import State


@dataclass(frozen=True)
class Forecast:
    """The odds of a position, by camel: exact for the leg; the race without tiles and crazy camels in later legs."""

    game: CamelUp
    state: State
    first: list[float]  # at the end of the leg
    second: list[float]
    last: list[float]
    wins: list[float]  # the race
    loses: list[float]
    landings: list[float]  # by square, in this leg
    over: float  # the probability that the race ends in this leg
    samples: int = 0  # races rolled to the end, with crazy camels and the desert tiles that stay …
    sampled_leg: dict[str, list[float]] = field(default_factory=dict)  # … and their results: first, second and last …
    sampled_race: dict[str, list[float]] = field(default_factory=dict)  # … wins and loses

    @property
    def order(self) -> list[int]:
        """The camels from the first to the last."""
        state = self.state
        return sorted(range(self.game.camels), key=lambda camel: (-state.square[camel], -state.height[camel]))

    def tile_worth(self, camel: int) -> float | None:
        """The expected value of a camel's next leg tile; None if all are taken."""
        taken, first, second = self.state.taken[camel], self.first[camel], self.second[camel]
        if taken == self.game.leg_tiles:
            return None
        return float(first * LEG_PAY[taken] + second * SECOND_PAY + (1 - first - second) * WRONG)

    def error(self, sampled: float) -> float:
        """Half the width of the 95 % interval of a sampled probability."""
        return float(1.96 * np.sqrt(sampled * (1 - sampled) / self.samples))

    # ------------------------------------------------------------------ in the terminal

    def screen(self) -> RenderableType:
        """The odds as a table, the camels in the order of the race."""
        grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
        grid.add_column("Camel")
        for title in ("Leg: first", "second", "last", "Next tile", "Race: wins", "last"):
            grid.add_column(title, justify="right")
        if self.samples:
            grid.add_column("Sampled: wins", justify="right")
            grid.add_column("last", justify="right")
        for camel in self.order:
            worth = self.tile_worth(camel)
            shares = (self.first, self.second, self.last, self.wins, self.loses)
            cells = [f"{share[camel]:.1%}" for share in shares]
            cells.insert(3, "–" if worth is None else f"{worth:+.2f}")
            for sampled in self.sampled_race.values():
                cells.append(f"{sampled[camel]:.1%} ±{100 * self.error(sampled[camel]):.1f}")
            grid.add_row(Text.from_markup(camel_tag(self.game, camel, camel_words(self.game, camel))), *cells)
        return Group(grid, Text("\n".join(self.remarks()), style="dim"))

    def remarks(self) -> list[str]:
        """Further remarks, one sentence each."""
        remarks = [f"The race ends in this leg with probability {self.over:.1%}."]
        board = board_of(self.game)  # type: ignore[arg-type]  # @game makes a Game of it
        for player in range(self.game.players):
            if tile := self.state.tile[player]:
                side = "oasis" if tile > 0 else "mirage"
                hits = self.landings[abs(tile)]
                owner = board.seat(player)
                remarks.append(f"The {side} of {owner} on {abs(tile)} will be landed on {hits:.2f} times on average.")
        if self.over < 1.0:
            neglected = (
                "the crazy camels and desert tiles of later legs" if self.game.is_second else "later desert tiles"
            )
            remarks.append(f"Leg odds are exact; race odds neglect {neglected}.")
        return remarks

    # ------------------------------------------------------------------ for programs

    def document(self) -> dict[str, Any]:
        sampled = self.sampled_race
        camels = [
            {
                "camel": f"c_{camel}",
                "square": self.state.square[camel],
                "height": self.state.height[camel],
                "leg": {"first": self.first[camel], "second": self.second[camel], "last": self.last[camel]},
                "tile": self.tile_worth(camel),
                "race": {"wins": self.wins[camel], "last": self.loses[camel]},
                **(
                    {"sampled": {"wins": sampled["wins"][camel], "last": sampled["loses"][camel]}}
                    if self.samples
                    else {}
                ),
            }
            for camel in self.order
        ]
        return {
            "game": spec_of(self.game),  # type: ignore[arg-type]
            "position": self.state.to_text(),
            "camels": camels,
            "landings": self.landings[: self.game.squares],
            "over": self.over,
            "samples": self.samples,
        }

    # ------------------------------------------------------------------ as a picture

    def svg(self) -> str:
        """The odds as an SVG: coloured bars from the left for first and second, grey bars from the right for last."""
        row, top, width = 40, 58, 290
        height = top + row * self.game.camels + 26
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {height}" font-family="sans-serif">',
            f'<rect width="760" height="{height}" rx="8" fill="#26221c"/>',
        ]
        charts = ((90, "The leg: first, second … last"), (445, "The race: wins … last"))
        for left, title in charts:
            parts.append(_text(left, 28, title, size=15, weight="bold"))
            for quarter in range(5):
                x = left + width * quarter / 4
                parts.append(f'<path d="M{x} {top - 14}V{top + row * self.game.camels}" stroke="#4a4438"/>')
                parts.append(_text(x, height - 10, f"{25 * quarter} %", size=11, fill="#a59a85", anchor="middle"))
        for place, camel in enumerate(self.order):
            y = top + row * place
            colour, name = CAMELS[camel_hue(self.game, camel)], camel_words(self.game, camel)
            parts.append(f'<rect x="16" y="{y - 8}" width="62" height="26" rx="6" fill="{colour}"/>')
            parts.append(_text(47, y + 10, name, size=14, fill=INK, weight="bold", anchor="middle"))
            leg = (self.first[camel], 1.0), (self.second[camel], 0.5)
            race = ((self.wins[camel], 1.0),)
            for (left, _), bars, last in zip(charts, (leg, race), (self.last[camel], self.loses[camel]), strict=True):
                x = float(left)
                for share, strength in bars:
                    bar = f'<rect x="{x:.1f}" y="{y - 8}" width="{width * share:.1f}" height="26" fill="{colour}"'
                    hint = f"{name}: {share:.1%}"
                    parts.append(f'{bar} fill-opacity="{strength}"><title>{hint}</title></rect>')
                    if share >= 0.1:
                        parts.append(_text(x + 6, y + 10, f"{100 * share:.0f}", size=13, fill=INK, weight="bold"))
                    x += width * share
                end = left + width * (1 - last)
                parts.append(
                    f'<rect x="{end:.1f}" y="{y + 14}" width="{width * last:.1f}" height="8" fill="#a59a85">'
                    f"<title>{name} last: {last:.1%}</title></rect>"
                )
        return "\n".join([*parts, "</svg>\n"])


def _text(
    x: float, y: float, text: str, size: int, fill: str = "#efe6d2", weight: str = "normal", anchor: str = "start"
) -> str:
    style = f'font-size="{size}" font-weight="{weight}" fill="{fill}" text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y}" {style}>{escape(text)}</text>'


def forecast(game: Any, state: State, samples: int = 0) -> Forecast:
    """The odds of a position; `samples` adds the results of races rolled to the end with the desert tiles that stay.

    Examples:
        >>> import kibitz
        >>> from kibitz.games.camelup.forecast import forecast
        >>> table = kibitz.Table("camelup", seed=12)
        >>> round(sum(forecast(table.game, table.state).wins), 6)
        1.0
    """
    if state.leg == 0:
        raise KibitzError("The camels have not lined up yet; all have the same odds.")
    odds = new_odds(game, race=True)
    foresee(game, native(state), odds)
    leg, race = ("first", "second", "last"), ("wins", "loses")
    found = {name: getattr(odds, name).tolist() for name in (*leg, *race, "landings")}
    if not samples:
        return Forecast(game, state, **found, over=float(odds.over[0]))
    states, counts = records(2, game.dtype), numbers((len(leg) + len(race), game.camels), "i8")
    states[0] = native(state)
    roll_out(game, states, samples, Stream("odds").words, counts)
    shares = dict(zip((*leg, *race), (counts / samples).tolist(), strict=True))
    return Forecast(
        game,
        state,
        **found,
        over=float(odds.over[0]),
        samples=samples,
        sampled_leg={name: shares[name] for name in leg},
        sampled_race={name: shares[name] for name in race},
    )


@compiled
def roll_out(game: Any, states: Any, samples: int, rng: Any, counts: Any) -> None:
    """Count how races end if everybody just rolls from states[0] on.

    The rows of `counts` are who leads, is second and is last when the leg ends, who wins the race and who comes last.
    """
    for _ in range(samples):
        states[1] = states[0]
        s = states[1]
        while s.turn != OVER and s.leg == states[0].leg:
            roll = game.sample(s, rng)
            game.roll(s, roll // FACES, roll % FACES + 1)
        first = game.leader(s)
        counts[0, first] += 1
        counts[1, game.leader_without(s, first)] += 1
        counts[2, game.last(s)] += 1
        while s.turn != OVER:
            roll = game.sample(s, rng)
            game.roll(s, roll // FACES, roll % FACES + 1)
        counts[3, game.leader(s)] += 1
        counts[4, game.last(s)] += 1
