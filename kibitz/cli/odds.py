"""`kibitz odds`: the exact odds in a position, for games that provide them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from kibitz.cli.analyse import set_up
from kibitz.cli.screen import GameArgument, JsonOption, print_json, screen, waiting
from kibitz.errors import KibitzError
from kibitz.rules.contract import NOBODY
from kibitz.rules.registry import find_game, spec_of


def odds(
    game: GameArgument,
    moves: Annotated[
        str, typer.Option(help='The moves so far, such as "roll"; including chance outcomes, unless --seed is given.')
    ] = "",
    position: Annotated[str | None, typer.Option(help="The starting position as text, instead of the opening.")] = None,
    seed: Annotated[int | None, typer.Option(help="The seed of chance.", show_default=False)] = None,
    samples: Annotated[
        int,
        typer.Option(
            min=0,
            max=1_000_000_000,
            help="Also simulate this many races, with the desert tiles that stay on the board.",
        ),
    ] = 0,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the odds to an SVG file.")] = None,
    json: JsonOption = False,
) -> None:
    """Show how likely each camel is to win and to come last.

    Example: `kibitz odds camelup --seed 4 --svg odds.svg`
    """
    rules = find_game(game)
    forecast = rules.extra("forecast")
    if forecast is None:
        raise KibitzError(
            f"There are no odds for {spec_of(rules)}, only for camelup; use `kibitz analyse` to rank moves."
        )
    table = set_up(rules, moves, position, seed)
    with waiting("Calculating …"):
        found = forecast(table.view(NOBODY).state, samples)
    if svg is not None:
        try:
            svg.write_text(found.svg(), encoding="utf-8")
        except OSError as error:
            raise KibitzError(f"Cannot write {svg}: {error.strerror}.") from None
    if json:
        return print_json(found.document())
    screen.print(table.markup(NOBODY))
    screen.print()
    screen.print(found.screen())
    if svg is not None:
        screen.print(f"[dim]Wrote {escape(str(svg))}.[/]", soft_wrap=True)
    return None
