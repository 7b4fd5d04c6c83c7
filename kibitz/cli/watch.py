"""`kibitz watch`: bots play, move by move."""

from __future__ import annotations

import time
from typing import Annotated

import typer
from rich.markup import escape

from kibitz.arena.isolation import ready_player
from kibitz.arena.match import take_turn, tell_end
from kibitz.cli.narration import result, seat
from kibitz.cli.screen import GameArgument, SeedOption, screen, waiting
from kibitz.errors import KibitzError
from kibitz.game import CHANCE
from kibitz.games import game as find_game
from kibitz.table import Table


def watch(
    game: GameArgument,
    specs: Annotated[list[str], typer.Argument(metavar="SPEC…", help="The bots in the order of their seats.")],
    seed: SeedOption = 0,
    delay: Annotated[float, typer.Option(min=0, help="Seconds to wait after each move.")] = 0,
    moves_only: Annotated[bool, typer.Option("--moves-only", help="Leave out the boards.")] = False,
) -> None:
    """Watch bots play one game, move by move.

    With too few bots, the last one takes the other seats too.

    Example: `kibitz watch connect_four uct:sims=1000 alphabeta:depth=6 --delay 0.5`
    """
    rules = find_game(game)
    if len(specs) > rules.players:
        raise KibitzError(f"{game} has {rules.players} seats; {len(specs)} bots are too many.")
    seats = [*specs, *[specs[-1]] * (rules.players - len(specs))]
    players = [ready_player(spec, rules) for spec in seats]
    table = Table(rules, seed, seats=seats)
    versus = " · ".join(f"{seat(table, player)} {escape(spec)}" for player, spec in enumerate(seats))
    screen.print(versus)
    announced = announce(table, 0, "")
    while not table.over:
        mover = table.turn
        started = time.perf_counter()
        with waiting(f"{table.board.seat(mover)} is thinking …"):
            take_turn(table, players[mover], seats[mover])
        announced = announce(table, announced, f"{time.perf_counter() - started:.2f} s")
        if not moves_only:
            screen.print(table.markup())
        time.sleep(delay)
    tell_end(table, dict(enumerate(players)), table.payoff())
    screen.print()
    screen.print(result(table))
    screen.print(f"[dim]Moves: {escape(' '.join(table.names()))}[/]", soft_wrap=True)


def announce(table: Table, announced: int, thought: str) -> int:
    """Print the plies since the last announcement; return how many there are now."""
    names = table.names()
    for index in range(announced, len(names)):
        turn = table.history[index].turn
        if turn == CHANCE:
            screen.print(f"      [dim]chance: {escape(names[index])}[/]")
        else:
            number = sum(ply.turn != CHANCE for ply in table.history[: index + 1])
            screen.print(
                f"\n[dim]{number:3}.[/]  {seat(table, turn)} plays [bold]{escape(names[index])}[/]  [dim]{thought}[/]"
            )
    return len(names)
