"""What a program costs at the table: `.venv/bin/python benchmarks/command.py [--games 200]`.

Start-up is everything up to the answer to the first question for a move: the process, "hello" and "new_game". A move is
everything from the table's question to the checked answer, the view included; the programs themselves take next to no
time. Medians, which other work on the machine changes least. The examples are compared, each if its tool is installed.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

import kibitz
from kibitz.players.isolation import make_player
from kibitz.players.process_bot import ProcessBot
from kibitz.players.roster import resolve
from kibitz.players.turns import ask, tell_end, view_for

EXAMPLES = Path(__file__).parents[1] / "examples" / "protocol"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=200, help="games per program")
    games = parser.parse_args().games
    table = Table("Program", "Game", "Start-up", "Move")
    with tempfile.TemporaryDirectory() as folder:
        for name, spec in programs(Path(folder)):
            for game in ("connect_four", "mexican_train"):
                if "four.py" in name and game != "connect_four":
                    continue
                starts, moves = measured(spec, game, games)
                table.add_row(
                    name,
                    game,
                    f"{statistics.median(starts) * 1e3:.1f} ms",
                    f"{statistics.median(moves) * 1e6:.0f} µs",
                )
    Console().print(table)


def programs(folder: Path) -> Iterator[tuple[str, str]]:
    """The examples that can run on this machine, and their specs."""
    if shutil.which("cc"):
        subprocess.run(["cc", "-O2", "-o", folder / "middle", EXAMPLES / "middle.c"], check=True)
        yield "C (middle.c)", f"cmd:{folder / 'middle'}"
    yield "Python (four.py)", f"cmd:{sys.executable} {EXAMPLES / 'four.py'}"
    if shutil.which("node"):
        yield "JavaScript (any_game.js)", f"cmd:node {EXAMPLES / 'any_game.js'}"


def measured(spec: str, name: str, games: int) -> tuple[list[float], list[float]]:
    """The seconds until the first move of each game, and of every later move."""
    game = kibitz.game(name)
    player = make_player(resolve(spec, game))
    assert isinstance(player, ProcessBot)
    starts: list[float] = []
    moves: list[float] = []
    with player:
        player.check()
        for number in range(games):
            player.new_game()
            table = kibitz.Table(game, seed=1, number=number)
            first, opponent = True, kibitz.bot("random", game)
            while not table.over:
                if table.turn:
                    table.play(opponent.choose(table.view(table.turn)))
                    continue
                began = time.perf_counter()
                move = ask(view_for(player, table, 0), player, spec)
                (starts if first else moves).append(time.perf_counter() - began)
                first = False
                table.play(move)
            tell_end(table, {0: player}, table.payoff())
    return starts, moves


if __name__ == "__main__":
    main()
