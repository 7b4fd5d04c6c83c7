"""How much the searches for many players prune: `.venv/bin/python benchmarks/pruning.py GAME [--depth 6]`.

Positions come from random games. All searches get the same ones, with the same deals where something is hidden, and
look for the best move only, to the same depth.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator
from dataclasses import replace

from rich.console import Console
from rich.table import Table

import kibitz
from kibitz.players.roster import bots_for
from kibitz.rules.rng import Stream
from kibitz.table import View

PLAIN = "maxn"
SEARCHES = (PLAIN, "maxn:speculative=yes", "maxn:deep=yes", "maxn:speculative=yes,deep=yes", "paranoid", "brs")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", help="such as tests/toys.py:RandomTree:height=10")
    parser.add_argument("--depth", type=int, default=6)
    parser.add_argument("--positions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    game = kibitz.game(options.game)
    views = list(positions(game, options.positions, options.seed))
    table = Table("Search", "Nodes", "Relative to maxn", "Different best move", "Different value")
    reports: dict[str, list[kibitz.Report]] = {}
    for spec in SEARCHES:
        if spec.partition(":")[0] not in bots_for(game):
            continue
        separator = "," if ":" in spec else ":"
        bot = kibitz.bot(f"{spec}{separator}depth={options.depth},deals=1", game)
        found = reports[spec] = [bot.best(replace(view, rng=Stream(i))) for i, view in enumerate(views)]
        nodes = statistics.mean(report.work for report in found)
        pairs = list(zip(found, reports[PLAIN], strict=True))
        table.add_row(
            spec,
            f"{nodes:,.0f}",
            f"{nodes / statistics.mean(report.work for report in reports[PLAIN]):.0%}",
            f"{statistics.mean(a.best.move != b.best.move for a, b in pairs):.0%}",
            f"{statistics.mean(abs(a.value - b.value) > 1e-9 for a, b in pairs):.0%}",
        )
    Console().print(table)


def positions(game: kibitz.Game, count: int, seed: int) -> Iterator[View]:
    """The view of the player to move in one position of each of `count` random games, where there is a choice."""
    stream = Stream(seed, "positions")
    found = number = 0
    while found < count:
        number += 1
        table, views = kibitz.Table(game, seed, number=number), []
        while not table.over:
            if len(table.moves) > 1:
                views.append(table.view(table.turn))
            table.play(stream.choice(table.moves))
        if views:
            found += 1
            yield stream.choice(views)


if __name__ == "__main__":
    main()
