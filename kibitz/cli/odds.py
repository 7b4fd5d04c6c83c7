"""`kibitz odds`: the exact odds of a position, in games that can say them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from kibitz.board import beside
from kibitz.cli.analyse import set_up
from kibitz.cli.screen import GameArgument, JsonOption, print_json, screen, waiting
from kibitz.errors import KibitzError
from kibitz.game import NOBODY
from kibitz.games import game as find_game
from kibitz.games import spec_of


def odds(
    game: GameArgument,
    moves: Annotated[
        str, typer.Option(help='The moves so far, as in "roll"; chance outcomes too, unless --seed is given.')
    ] = "",
    position: Annotated[
        str | None, typer.Option(help="A position as text, to start from instead of the opening.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Let chance fall by this seed.", show_default=False)] = None,
    samples: Annotated[
        int, typer.Option(min=0, help="Also roll the race out so many times, with the desert tiles that stay.")
    ] = 0,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the odds as a picture.")] = None,
    json: JsonOption = False,
) -> None:
    """Say how likely every camel is to win and to come last.

    Example: `kibitz odds camelup --seed 4 --svg odds.svg`
    """
    rules = find_game(game)
    teller = beside(rules, "forecast")
    if teller is None:
        raise KibitzError(f"{spec_of(rules)} has no odds to tell; camelup has, and `kibitz analyse` ranks its moves.")
    table = set_up(rules, moves, position, seed)
    with waiting("Reckoning …"):
        found = teller.forecast(rules, table.view(NOBODY).state, samples)
    if svg is not None:
        try:
            svg.write_text(found.svg())
        except OSError as error:
            raise KibitzError(f"The picture cannot be written to {svg}: {error.strerror}.") from None
    if json:
        return print_json(found.document())
    screen.print(table.markup(NOBODY))
    screen.print()
    screen.print(found.screen())
    if svg is not None:
        screen.print(f"[dim]Drawn in {escape(str(svg))}.[/]", soft_wrap=True)
    return None
