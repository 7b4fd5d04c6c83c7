"""`kibitz watch`: watch bots play, move by move."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer
from rich.markup import escape

from kibitz.cli.completion import complete_bot
from kibitz.cli.narration import result, seat, seed_words
from kibitz.cli.screen import DelayOption, FreshSeedOption, GameArgument, SandboxOption, SecretOption, screen, waiting
from kibitz.compiler import running_time
from kibitz.errors import KibitzError
from kibitz.players.bot import Player
from kibitz.players.roster import resolve
from kibitz.players.seating import TERMINAL, Players, check_strangers, terms_for
from kibitz.players.turns import take_turn, tell_end
from kibitz.rules.contract import CHANCE
from kibitz.rules.registry import find_game
from kibitz.rules.rng import as_secret
from kibitz.sandbox.levels import AUTO
from kibitz.table import Table


def watch(
    game: GameArgument,
    specs: Annotated[
        list[str],
        typer.Argument(metavar="SPEC…", help="The bots, in order of their seats.", autocompletion=complete_bot),
    ],
    seed: FreshSeedOption = None,
    secret: SecretOption = None,
    sandbox: SandboxOption = AUTO,
    delay: DelayOption = 0,
    moves_only: Annotated[bool, typer.Option("--moves-only", help="Show only the moves, not the boards.")] = False,
) -> None:
    """Watch bots play a game, move by move.

    If there are too few bots, the last one takes the remaining seats.

    Example: `kibitz watch connect_four uct:sims=1000 alphabeta:depth=6 --delay 0.5`
    """
    rules = find_game(game)
    if len(specs) > rules.players:
        raise KibitzError(f"{len(specs)} bots are too many for {game}, which has {rules.players} seats.")
    seats = [*specs, *[specs[-1]] * (rules.players - len(specs))]
    entrants = [resolve(spec, rules) for spec in seats]
    terms = replace(terms_for(entrants, sandbox), stderr=TERMINAL)
    check_strangers(entrants, terms)
    has_strangers = any(entrant.is_stranger for entrant in entrants)
    table = Table(rules, seed, seats=seats, secret=as_secret(secret, has_strangers))
    with Players(rules, terms, entrants) as players:
        _watch(table, players.seat(entrants), delay, moves_only)


def _watch(table: Table, players: Sequence[Player], delay: float, moves_only: bool) -> None:
    """Let the players move, and show it."""
    seats = table.seats
    versus = " · ".join(f"{seat(table.board, player)} {escape(spec)}" for player, spec in enumerate(seats))
    screen.print(f"{versus} [dim](seed {table.seed})[/]")
    announced = announce(table, 0, "")
    while not table.over:
        mover = table.turn
        started = running_time()
        with waiting(f"{table.board.seat(mover)} is thinking …"):
            take_turn(table, players[mover], seats[mover])
        announced = announce(table, announced, f"{running_time() - started:.2f} s")
        if not moves_only:
            screen.print(table.markup())
        time.sleep(delay)
    tell_end(table, dict(enumerate(players)), table.payoff())
    screen.print()
    screen.print(result(table))
    screen.print(f"[dim]Moves: {escape(' '.join(table.history_names))}[/]", soft_wrap=True)
    if table.secret is not None:
        screen.print(f"[dim]To repeat the game: {seed_words(table)}[/]", soft_wrap=True)


def announce(table: Table, announced: int, thought: str) -> int:
    """Print the plies since the last announcement; return their total number."""
    said = table.say_history()
    for index in range(announced, len(said)):
        turn = table.history[index].turn
        if turn == CHANCE:
            screen.print(f"      [dim]chance: {escape(said[index])}[/]")
        else:
            number = sum(ply.turn != CHANCE for ply in table.history[: index + 1])
            mover, move = seat(table.board, turn), escape(said[index])
            screen.print(f"\n[dim]{number:3}.[/]  {mover}: [bold]{move}[/]  [dim]{thought}[/]")
    return len(said)
