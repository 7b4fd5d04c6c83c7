"""Tournaments with rogues (rogues.py), what must come of each of their faults, and what must not be left of them."""

import contextlib
import gc
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import rogues
from processes import LONG, descendants, guests_of, ticks_of, wait_for
from programs import write_program

import kibitz
from kibitz.compiler import disk_cache
from kibitz.players.guest_cache import guest_cache
from kibitz.records.games import Outcome
from kibitz.records.log import Log
from kibitz.records.secret import SECRET_FILE
from kibitz.sandbox import control_groups
from kibitz.sandbox.levels import SandboxLevel, promises, why_not
from kibitz.tournament.schedule import GAUNTLET

NIM = f"{Path(__file__).parent / 'toys.py'}:Nim:heap=30"
SECRET = "5" * 32
LEVELS = [level for level in SandboxLevel if why_not(level) is None]
PROGRAM, BOT = "program", "bot"  # the two kinds of rogues
BLOCKED, FOUND = "Blocked", "Found"
BOARD, ILLEGAL, EXCEPTION, TIMEOUT, CRASH = Outcome


def promised(level, start):
    """Whether a level makes the promise that starts like this."""
    return any(kept for kept, words in promises(level) if words.startswith(start))


def has_bounded_processes(level):
    """Whether a fork bomb does no harm."""
    return level is SandboxLevel.LANDLOCK or promised(level, "The number of a bot's processes")


def survives_its_parent(level):
    """Whether a bot can kill the zygote and live on, unknown to anybody."""
    return level is SandboxLevel.NONE and not control_groups.parents()


# ------------------------------------------------------------------ what must come of a fault


def expected(name, kind, level):
    """The outcome of a game in which a rogue commits a fault, and words in the message."""
    if rogues.FAULTS[name] in rogues.HURRIED:
        return TIMEOUT, "s for a move"
    confined = level is not SandboxLevel.NONE
    if name in ("reads_processes", "reads_files", "writes_files", "connects"):
        return raised(kind, BLOCKED if confined else FOUND)
    if name == "kills_its_parent":
        return raised(kind, BLOCKED, "PermissionError") if confined else raised(kind, FOUND, "killed by SIGKILL")
    if name == "leaves_a_daemon":
        return raised(kind, "PermissionError") if level is SandboxLevel.LANDLOCK else (BOARD, "")
    return {
        "allocates": raised(kind, "MemoryError"),
        "raises": raised(kind, "ValueError"),
        "says_garbage": (CRASH, "malformed reply"),
        "floods_stdout": (CRASH, "endless reply"),
        "closes_output": (CRASH, "exited with code"),
        "exits_at_move_7": (CRASH, "exited with code 7"),
        "answers_twice": (CRASH, "more than one reply" if kind == BOT else "its id is"),
        "plays_an_illegal_move": (ILLEGAL, "99"),
        "plays_no_move": (ILLEGAL, "None"),
        "crashes": (CRASH, "killed by SIGSEGV"),
        "kills_itself": (CRASH, "killed by SIGKILL"),
        "leaves_threads": (BOARD, ""),
    }[name]


def raised(kind, *words):
    """An exception ends a program, and a bot's turn."""
    return EXCEPTION if kind == BOT else CRASH, words


# ------------------------------------------------------------------ a tournament


class Teller:
    """Tells a rogue which fault to commit, by its first moves; then plays any moves."""

    plan = ()  # faults, one for each game
    games = ()  # of which it has been asked for a move, by the start of its random stream in them

    def __init__(self):
        self.moves = None

    def choose(self, view):
        if self.moves is None:
            start = str(view.rng.getstate())  # the same if a game is played again
            if start not in Teller.games:
                Teller.games.append(start)
            self.moves = rogues.call_for(Teller.plan[Teller.games.index(start)])
        return self.moves.pop(0) if self.moves else view.rng.choice(view.moves[:1])


@dataclass
class Trial:
    """What came of a fault in one game."""

    fault: str
    kind: str
    outcome: Outcome
    message: str
    choices: int  # of the rogue

    def is_as_expected(self, level):
        outcome, words = expected(self.fault, self.kind, level)
        words = (words,) if isinstance(words, str) else words
        return self.outcome == outcome and any(word in self.message for word in words)


class Court:
    """A folder with rogues in it, and whatever they may try to reach."""

    def __init__(self, folder, level):
        self.folder, self.level = folder, level
        self.log = folder / "log"
        self.rogues = folder / "rogues"
        self.rogues.mkdir()
        self.cwd = folder / "cwd"
        self.cwd.mkdir()
        for name in (BOT, PROGRAM, "others"):
            shutil.copy(rogues.__file__, self.rogues / f"{name}.py")
        self.bystander = write_program(self.rogues)
        self.outside = folder / "outside.txt"
        self.outside.write_text("nobody's business")
        self.specs = {
            BOT: f"{self.rogues}/{BOT}.py:Rogue",
            PROGRAM: f"cmd:{sys.executable} {self.rogues}/{PROGRAM}.py",
        }

    def __enter__(self):
        self._stack = contextlib.ExitStack()
        self.listeners = [
            self._listen(socket.AF_INET, ("127.0.0.1", 0)),
            self._listen(socket.AF_UNIX, str(self.folder / "socket")),
            self._listen(socket.AF_UNIX, f"\0kibitz-{os.getpid()}"),
        ]
        host = [*map(str, disk_cache.folders())]
        common = ["/tmp", "/var/tmp", "/dev/shm", "/run", "/", tempfile.gettempdir()]
        targets = {
            "pid": os.getpid(),
            "confined": self.level is not SandboxLevel.NONE,
            "port": self.listeners[0].getsockname()[1],
            "socket": str(self.folder / "socket"),
            "abstract": f"kibitz-{os.getpid()}",
            rogues.FILES: [
                *(str(self.log / name) for name in ("tournament.json", SECRET_FILE, "games-000001.journal")),
                str(self.rogues / "program.sh"),
                str(self.outside),
                "/etc/passwd",
            ],
            "folders": [str(self.log), str(self.rogues), str(self.cwd), *host, str(guest_cache()), *common],
        }
        (self.rogues / "targets.json").write_text(json.dumps(targets))
        return self

    def _listen(self, family, address):
        listener = self._stack.enter_context(socket.socket(family))
        listener.bind(address)
        listener.listen()
        listener.setblocking(False)
        return listener

    def __exit__(self, *error):
        self._stack.close()

    def visits(self):
        """The number of connections to what listens here."""
        count = 0
        for listener in self.listeners:
            with contextlib.suppress(BlockingIOError):
                while True:
                    listener.accept()[0].close()
                    count += 1
        return count

    def trials(self, names, times, move_time, kinds=(BOT, PROGRAM), **more):
        """Play a tournament of a Teller against rogues and a bystander; what came of each fault, and the games.

        Every fault happens 2 × `times` times: in both seats.
        """
        bots = [Teller, *(self.specs[kind] for kind in kinds), self.bystander]
        games, plan = self.play(bots, names, times, move_time, log=self.log, **more)
        seated = [(row, bot) for row, pair in enumerate(games.bots) for bot in pair if 1 <= bot <= len(kinds)]
        return [
            Trial(
                plan[row],
                kinds[bot - 1],
                Outcome(games.outcome[row]),
                games.fault[row],
                int(games.choices[row][games.bots[row].tolist().index(bot)]),
            )
            for row, bot in seated
        ], games

    def play(self, bots, names, times, move_time, log, **more):
        """Play a gauntlet; the games, and the fault that was called for in each."""
        per_round = 2 * (len(bots) - 1)
        count = per_round * len(names) * times
        Teller.plan = [names[number // per_round % len(names)] for number in range(count)]
        Teller.games = []
        kibitz.arena(
            NIM,
            bots,
            games=count,
            seed=1,
            secret=SECRET,
            format=GAUNTLET,
            workers=1,
            move_time=move_time,
            sandbox=self.level,
            log=log,
            **more,
        )
        return Log(log).games(), Teller.plan


def games_of(games, bot):
    """The games of a bot against the first, apart from times."""
    rows = np.flatnonzero((games.bots == bot).any(axis=1))
    return [(games.bots[row].tolist(), games.payoff[row].tolist(), games.moves[row].tolist()) for row in rows]


# ------------------------------------------------------------------ what is left


def left(place):
    """What a tournament could leave behind: processes, threads, descriptors, temporary files, control groups.

    Processes of bots are known by their command or environment, which has the `place` or the cache of guests in it.
    """
    gc.collect()  # of earlier tests
    marks = [str(place).encode(), str(guest_cache()).encode()]
    processes = {*descendants(os.getpid()), *(pid for pid in _pids() if _mentions(pid, marks))} - {os.getpid()}
    groups = [group for parent in control_groups.parents() for group in parent.glob(f"kibitz-{os.getpid()}-*")]
    return {
        *(f"process {pid}" for pid in processes),
        *(f"thread {thread.name}" for thread in threading.enumerate()),
        *(f"descriptor {fd}: {file}" for fd, file in _descriptors()),
        *(f"temporary file {name}" for name in os.listdir(tempfile.gettempdir())),
        *(f"control group {group}" for group in groups),
    }


def _pids():
    return [int(name) for name in os.listdir("/proc") if name.isdecimal()]


def _mentions(pid, marks):
    words = b""
    for file in ("cmdline", "environ"):
        with contextlib.suppress(OSError):
            words += Path(f"/proc/{pid}/{file}").read_bytes()
    return any(mark in words for mark in marks)


def _descriptors():
    for fd in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # that of the listing itself
            yield fd, os.readlink(f"/proc/self/fd/{fd}")


# ------------------------------------------------------------------ kill -9

RUN = "import json, sys, kibitz; kibitz.arena(**json.loads(sys.argv[1]))"


def kill_tournament(bots, level):
    """Kill a tournament with two workers while a bot of each thinks; the processes that it consisted of."""
    what = {"game": NIM, "bots": bots, "games": 100, "workers": 2, "move_time": LONG, "sandbox": level}
    command = [sys.executable, "-c", RUN, json.dumps(what)]
    main = subprocess.Popen(command, start_new_session=True, env={**os.environ, "KIBITZ_PLAIN": "1"})
    try:
        wait_for(lambda: _thinking(main.pid) == 2)
        return {main.pid, *descendants(main.pid)}
    finally:
        main.kill()
        main.wait()


def _thinking(pid):
    """The number of bots of a process that have thought for more than a moment of processor time."""
    return sum(ticks_of(guest) > os.sysconf("SC_CLK_TCK") / 5 for guest in guests_of(pid))
