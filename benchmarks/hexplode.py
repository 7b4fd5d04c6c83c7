"""Hexplode: how fast it is, how deep alpha-beta looks, and how strong its bots are.

    python benchmarks/hexplode.py speed        random games and nodes per second, on one core
    python benchmarks/hexplode.py depth        nodes and seconds to reach a depth, by options of alphabeta
    python benchmarks/hexplode.py evaluation   the tuned evaluation against a table of stacks alone, at equal nodes
    python benchmarks/hexplode.py bars         best against minimax3 and against counters, 100 ms per move
    python benchmarks/hexplode.py ladder       all bots against each other

Matches start with four random moves, the same for both colours. --games is the number of games.
"""

from __future__ import annotations

import argparse
import random
import time
from dataclasses import replace

from rich.console import Console
from rich.table import Table

import kibitz
from kibitz.compiler import native, numbers, records
from kibitz.games.hexplode.rules import Hexplode
from kibitz.games.hexplode.tiles import CAPACITY
from kibitz.rules.contract import game
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream
from kibitz.search.playout import playouts
from kibitz.tournament.statistics import share_of

OPENING = 4
DEPTH = 7
SECONDS = 2.0  # the least duration of a measurement
EQUAL = "alphabeta:nodes=20000,order=history"  # for comparisons at equal nodes
BY_COUNTERS = "alphabeta:ms=100,by=score,order=history"

console = Console()


@game
class ByStacks(Hexplode):
    """Hexplode with the evaluation of the strongest bot of the original server: each stack valued by itself."""

    def evaluate(self, s, out):
        worths = ((76, 120, 0, 0, 0), (51, 115, 140, 0, 0), (0, 0, 0, 0, 0), (10, 53, 92, 127, 238))
        ahead = 0
        for tile in range(self.tiles):
            stack = s.stacks[tile]
            if stack:
                worth = worths[CAPACITY[self.side, tile] - 3][abs(stack) - 1]
                ahead += worth if stack > 0 else -worth
        out[0] = 0.5 + 0.5 * ahead / (400.0 + abs(ahead))
        out[1] = 1.0 - out[0]


def positions(count: int = 24) -> list[kibitz.Table]:
    """Positions from all phases of games of minimax3, with a random move now and then."""
    tables = []
    for number in range(count):
        chance, table = random.Random(number), kibitz.Table("hexplode")
        player = kibitz.bot("minimax3", table.game)
        for ply in range(8 + 12 * (number % 8)):
            wild = ply < OPENING or chance.random() < 0.1
            before = table.state
            table.play(chance.choice(table.moves) if wild else player.choose(table.view(table.turn)))
            if table.over:
                table = kibitz.Table(table.game, position=before)
                break
        tables.append(table)
    return tables


def random_games(side: int) -> float:
    """Random games per second."""
    rules = Hexplode(side=side)
    states, totals = records(2, rules.dtype), numbers(2, "f8")
    states[0] = native(Engine(rules).start())
    work = numbers(rules.max_moves, "i8"), numbers(1, "f8"), Stream("speed").words, numbers(2, "f8"), totals
    playouts(rules, states, 10, *work)
    games, started = 0, time.perf_counter()
    while time.perf_counter() < started + SECONDS:
        playouts(rules, states, 2000, *work)
        games += 2000
    return games / (time.perf_counter() - started)


def searched(options: str, depth: int, tables: list[kibitz.Table]) -> tuple[int, float]:
    """Nodes and seconds to search all positions to a depth."""
    nodes, seconds = 0, 0.0
    kibitz.bot(f"alphabeta:depth=1{options}", tables[0].game).choose(tables[0].view(tables[0].turn))  # compiles
    for table in tables:
        # A node budget too large to be spent makes it deepen ply by ply, as in a game.
        searcher = kibitz.bot(f"alphabeta:nodes=1000000000,depth={depth}{options}", table.game)
        report = searcher.best(table.view(table.turn))
        nodes += report.work
        seconds += report.seconds
    return nodes, seconds


def speed() -> None:
    table = Table("", "per second", title="Hexplode, one core")
    for side in (3, 4, 5):
        table.add_row(f"random games, side {side}", f"{random_games(side):,.0f}")
    nodes, seconds = searched(",order=history", DEPTH, positions())
    table.add_row(f"alpha-beta nodes, side 4, depth {DEPTH}", f"{nodes / seconds:,.0f}")
    console.print(table)


def depth() -> None:
    tables = positions()
    table = Table("alphabeta", "nodes", "seconds", title=f"24 positions to depth {DEPTH}, side 4")
    for options in ("", ",order=history", ",by=score", ",by=score,order=history"):
        nodes, seconds = searched(options, DEPTH, tables)
        table.add_row(options.removeprefix(",") or "default options", f"{nodes:,}", f"{seconds:.2f}")
    console.print(table)


def evaluation(games: int) -> None:
    """Both search the same positions, each with its own evaluation."""
    rules = Hexplode(), ByStacks()
    shares = []
    for pair in range(games // 2):
        won = []
        for first in range(2):
            chance, table = random.Random(pair), kibitz.Table(rules[0])
            players = [kibitz.bot(EQUAL, rule) for rule in rules]
            for _ in range(OPENING):
                table.play(chance.choice(table.moves))
            while not table.over:
                who = table.turn ^ first
                table.play(players[who].choose(replace(table.view(table.turn), game=rules[who])))
            won.append(table.payoff()[first])
        shares.append(won)
    share = share_of(shares)
    console.print(
        f"The tuned evaluation took {share.share:.1%} ({share.low:.1%} to {share.high:.1%}) of {2 * len(shares)} games "
        f"from the table of stacks, both as {EQUAL}."
    )


def bars(games: int) -> None:
    for opponent in ("minimax3", BY_COUNTERS):
        console.print(kibitz.arena("hexplode", ["best:nodes=0,ms=100", opponent], games, 1, opening=OPENING, workers=1))


def ladder(games: int) -> None:
    bots = ["best", "alphabeta:depth=4", "alphabeta:depth=4,by=score", "minimax3", "uct:sims=5000", "greedy", "sentry"]
    console.print(kibitz.arena("hexplode", [*bots, "hugger", "random"], games, 1, opening=OPENING))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["speed", "depth", "evaluation", "bars", "ladder"])
    parser.add_argument("--games", type=int, default=200)
    options = parser.parse_args()
    if options.what in ("speed", "depth"):
        globals()[options.what]()
    else:
        globals()[options.what](options.games)


if __name__ == "__main__":
    main()
