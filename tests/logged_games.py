"""Games to log: tables played at random, as the arena would pass them on; and a writer to be killed."""

import os
import signal
import threading
from dataclasses import fields
from pathlib import Path

import numpy as np

from kibitz import CHANCE, Table
from kibitz.records import log as log_module
from kibitz.records.games import Games, Outcome
from kibitz.records.log import Log, LogWriter
from kibitz.rules.registry import find_game

TOYS = Path(__file__).parent / "toys.py"
HIGH_CARD = f"{TOYS}:HighCard"
CONNECT_FOUR = "connect_four:columns=4,rows=4"


def tournament(game=CONNECT_FOUR, bots=("random", "random"), seed=1, games=8):
    return {"game": game, "bots": list(bots), "seed": seed, "games": games, "format": "round-robin"}


def play(what):
    """The tables of a tournament, played at random: each group of games in all rotations of the seats."""
    rules = find_game(what["game"])
    tables = []
    for number in range(what["games"]):
        group, shift = divmod(number, rules.players)
        seats = [what["bots"][(seat + shift) % len(what["bots"])] for seat in range(rules.players)]
        table = Table(rules, what["seed"], number=number, luck=group, seats=seats)
        while not table.over:
            table.play(table.view(table.turn).rng.choice(table.moves))
        tables.append(table)
    return tables


def as_games(tables):
    """The games that the arena would log for finished tables, numbered from 0."""
    players = tables[0].game.players
    games = Games.empty(len(tables), players)
    for number, table in enumerate(tables):
        shift = number % players
        games.game[number] = number
        games.group[number] = table.luck
        games.bots[number] = [(seat + shift) % players for seat in range(players)]
        games.payoff[number] = table.payoff()
        games.score[number] = table.score()
        games.turns[number] = np.array([ply.turn for ply in table.history], "i1")
        games.moves[number] = np.array([ply.move for ply in table.history], "i4")
        for ply in table.history:
            if ply.turn != CHANCE:
                games.choices[number, ply.turn] += 1
        games.seconds[number] = 0.25 * games.choices[number]
    return games


def invented(count, players=2):
    """Many made-up games; every fifth ended with a fault."""
    draw = np.random.default_rng(7)
    games = Games.empty(count, players)
    games.game[:] = np.arange(count)
    games.group[:] = games.game // players
    games.bots[:] = draw.integers(0, players, (count, players))
    games.payoff[:] = draw.random((count, players))
    games.score[:] = draw.random((count, players))
    games.choices[:] = draw.integers(1, 9, (count, players))
    games.seconds[:] = draw.random((count, players))
    for number in range(0, count, 5):
        games.outcome[number] = Outcome.TIMEOUT
        games.fault_seat[number] = number % players
        games.fault[number] = f"game {number}: über 10 s"
        games.score[number] = np.nan
    lengths = draw.integers(0, 40, count)
    games.turns = [draw.integers(-1, players, length).astype("i1") for length in lengths]
    games.moves = [draw.integers(0, 1 << 30, length).astype("i4") for length in lengths]
    return games


def equal(some, others):
    """Whether two batches of games are the same, including types."""
    for column in fields(Games):
        ours, theirs = getattr(some, column.name), getattr(others, column.name)
        pairs = list(zip(ours, theirs, strict=True)) if isinstance(ours, list) else [(ours, theirs)]
        for a, b in pairs:
            if isinstance(a, str):
                if a != b:
                    return False
            elif a.dtype != b.dtype or a.shape != b.shape or a.tobytes() != b.tobytes():
                return False
    return True


def write_missing(folder, what, games):
    """Log the missing games in batches of all sizes, in another process; yields the number of games written so far."""
    log_module.PART_BYTES = 50_000  # parts are sealed all the time
    with LogWriter(folder, what, resume=True) as log:
        missing = np.setdiff1d(games.game, Log(folder).finished())
        while True:
            yield len(games) - len(missing)
            if not len(missing):
                break
            size = 1 + int(missing[0]) % 7
            log.write(games.rows(missing[:size]))
            missing = missing[size:]


def write_until_killed(folder, what, games, reports, more, seconds):
    """Log and report games; `seconds` after `more` of them have been written, kill this process."""
    kill = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGKILL))
    goal = None
    for written in write_missing(folder, what, games):
        reports.send(written)
        goal = written + more if goal is None else goal
        if written >= goal and not kill.is_alive():
            kill.start()


def write_all(folder, what, games):
    for _ in write_missing(folder, what, games):
        pass
