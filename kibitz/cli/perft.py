"""`kibitz perft`: count the move sequences of a given length, to compare rules with another implementation."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from kibitz.cli.screen import GameArgument, JsonOption, print_json, screen, waiting
from kibitz.compiler import running_time
from kibitz.rules.registry import find_game, spec_of
from kibitz.table import Table


def perft(
    game: GameArgument,
    depth: Annotated[int, typer.Argument(metavar="DEPTH", min=1, max=1000, help="The number of moves.")],
    divided: Annotated[bool, typer.Option("--divide", help="Also count by the first move.")] = False,
    json: JsonOption = False,
) -> None:
    """Count the sequences of exactly DEPTH moves from the opening (perft); chance outcomes count as moves.

    If another implementation of the same rules gives another number, `--divide` shows after which first move they
    differ.

    Examples: `kibitz perft connect_four 8`, `kibitz perft connect_four 6 --divide`
    """
    from kibitz.rules.perft import divide

    rules = find_game(game)
    table = Table(rules, deal=False)
    started = running_time()
    total, by_move = 0, {}
    with waiting("Counting …"):
        for move, count in divide(rules, depth):
            total += count
            by_move[table.name(move)] = count
            if divided and not json:
                screen.print(f"{escape(table.name(move))}: {count:,}")
    seconds = running_time() - started
    if json:
        document = {"game": spec_of(rules), "depth": depth, "sequences": total, "seconds": seconds}
        return print_json(document | ({"by_move": by_move} if divided else {}))
    screen.print(f"[bold]{total:,}[/] sequences of {depth} moves [dim]in {seconds:.2f} s[/]")
    return None
