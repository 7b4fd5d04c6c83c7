"""What a bot in a sandbox costs: `.venv/bin/python benchmarks/sandbox.py [--games 60] [--rounds 3]`.

Bots that answer at once play in each kind of sandbox that this machine gives, in turns: a bot from a Python file, and
the example programs, each if its tool is installed. "first" is the time from nothing to a bot that is ready for its
first game, "process" that for a new process in each later game, "move" everything from the table's question to the
checked answer, the view included, without the first of each game. Medians, which other work on the machine changes
least.
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
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

import kibitz
from kibitz.players.process_bot import ProcessBot
from kibitz.players.roster import resolve
from kibitz.players.seating import Terms, make_player
from kibitz.players.turns import ask, tell_end, view_for
from kibitz.sandbox.levels import SandboxLevel, why_not

EXAMPLES = Path(__file__).parents[1] / "examples" / "protocol"
GAMES = ("connect_four", "mexican_train")
FIRST = "class First:\n    def choose(self, view):\n        return view.moves[0]\n"


@dataclass
class Times:
    """What was measured, in seconds."""

    first: list[float] = field(default_factory=list)
    process: list[float] = field(default_factory=list)
    move: list[float] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=60, help="games per bot, sandbox and round")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    levels = [level for level in SandboxLevel if why_not(level) is None]
    with tempfile.TemporaryDirectory() as folder:
        rows = [(name, spec, game, level) for name, spec in bots(Path(folder)) for game in GAMES for level in levels]
        rows = [row for row in rows if "four.py" not in row[0] or row[2] == "connect_four"]
        times = [Times() for _ in rows]
        for _ in range(given.rounds):
            for (_, spec, game, level), measured in zip(rows, times, strict=True):
                measure(spec, game, level, given.games, measured)
    table = Table("Bot", "Game", "Sandbox", "First", "Process", "Move")
    for (name, _, game, level), measured in zip(rows, times, strict=True):
        first, process, move = map(statistics.median, (measured.first, measured.process, measured.move))
        table.add_row(name, game, level, f"{first * 1e3:.0f} ms", f"{process * 1e3:.1f} ms", f"{move * 1e6:.0f} µs")
    Console().print(table)


def bots(folder: Path) -> Iterator[tuple[str, str]]:
    """The bots that can run on this machine, and their specs."""
    (folder / "first.py").write_text(FIRST)
    yield "from a Python file", f"{folder}/first.py:First"
    if shutil.which("cc"):
        subprocess.run(["cc", "-O2", "-o", folder / "middle", EXAMPLES / "middle.c"], check=True)
        yield "C (middle.c)", f"cmd:{folder / 'middle'}"
    yield "Python (four.py)", f"cmd:{sys.executable} {EXAMPLES / 'four.py'}"
    if shutil.which("node"):
        yield "JavaScript (any_game.js)", f"cmd:node {EXAMPLES / 'any_game.js'}"


def measure(spec: str, name: str, level: SandboxLevel, games: int, times: Times) -> None:
    """Play games against random moves."""
    game = kibitz.game(name)
    player = make_player(resolve(spec, game), Terms(sandbox=level))
    assert isinstance(player, ProcessBot)
    with player:
        for number in range(games):
            began = time.perf_counter()
            player.new_game()
            player.ready()
            (times.process if number else times.first).append(time.perf_counter() - began)
            table = kibitz.Table(game, seed=1, number=number)
            first, opponent = True, kibitz.bot("random", game)
            while not table.over:
                if table.turn:
                    table.play(opponent.choose(table.view(table.turn)))
                    continue
                began = time.perf_counter()
                move = ask(view_for(player, table, 0), player, spec)
                if not first:
                    times.move.append(time.perf_counter() - began)
                first = False
                table.play(move)
            tell_end(table, {0: player}, table.payoff())


if __name__ == "__main__":
    main()
