"""A bot that misbehaves in every way there is, as a bot from a file (Rogue) and as a program (main).

It plays Nim. The first three moves of its opponent tell it which of the FAULTS to commit; from its next move on, it
does. What there is to spy on is listed in targets.json, next to this file. A spy that gets at anything raises Found,
otherwise Blocked: both end its game, but only one of them should ever be seen.
"""

import contextlib
import ctypes
import errno
import json
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path

MOVES = 3  # that Nim has; the opponent's moves are the digits of a fault's number
DIGITS = 3
FILES = "files"


class Found(Exception):
    """What a spy got at."""


class Blocked(Exception):
    """A spy found nothing."""


class Fault:
    """What a fault knows: how to write to the table directly, how many moves it has made, and what to spy on."""

    def __init__(self, answers, answer, made):
        self.answers = answers  # the file descriptors that lead to the table
        self.answer = answer  # what a bot would answer to the last question
        self.made = made
        self.targets = json.loads(Path(__file__).with_name("targets.json").read_text())

    def say(self, words):
        for fd in self.answers:
            with contextlib.suppress(OSError):
                os.write(fd, words)


# ------------------------------------------------------------------ those that only a clock ends


def loops(fault):
    while True:
        pass


def sleeps(fault):
    while True:
        time.sleep(1000)


def ignores_signals(fault):
    for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    loops(fault)


def stops_itself(fault):
    os.kill(os.getpid(), signal.SIGSTOP)


def says_half_a_line(fault):
    fault.say(fault.answer[: len(fault.answer) // 2])
    sleeps(fault)


def floods_stderr(fault):
    while True:
        os.write(2, b"x" * 65_536)


def asks_for_patience(fault):
    while True:
        fault.say(b'{"compiling": "everything"}\n' if fault.answers != [1] else b"")
        time.sleep(0.01)


def forks_without_end(fault):
    while True:
        with contextlib.suppress(OSError):
            os.fork()


HURRIED = [
    *(loops, sleeps, ignores_signals, stops_itself),
    *(says_half_a_line, floods_stderr, asks_for_patience, forks_without_end),
]

# ------------------------------------------------------------------ those that end by themselves


def allocates(fault):
    return len(bytearray(10_000_000_000))


def raises(fault):
    raise ValueError("on purpose")


def says_garbage(fault):
    fault.say(b"\xff\x00{]\n")


def floods_stdout(fault):
    for _ in range(1 << 14):
        fault.say(b"x" * 65_536)


def closes_output(fault):
    for fd in fault.answers:
        with contextlib.suppress(OSError):
            os.close(fd)


def exits_at_move_7(fault):
    if fault.made == 6:
        os._exit(7)


def answers_twice(fault):
    fault.say(fault.answer + fault.answer)


def plays_an_illegal_move(fault):
    return 99


def plays_no_move(fault):
    return [None]


def crashes(fault):
    ctypes.string_at(0)


def kills_itself(fault):
    os.kill(os.getpid(), signal.SIGKILL)


def kills_its_parent(fault):
    """Kill the process that started this one, having made sure to outlive it."""
    ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)  # PR_SET_PDEATHSIG
    if fault.targets["confined"]:
        os.kill(os.getppid(), signal.SIGSTOP)
    parent = os.getppid()
    os.kill(parent, signal.SIGKILL)
    for _ in range(20 if fault.targets["confined"] else 20_000):  # a sandbox protects it: it lives on
        time.sleep(0.005)
        if os.getppid() != parent:
            raise Found("its parent is dead")
    raise Blocked("its parent lives")


def leaves_threads(fault):
    if threading.active_count() < 3:
        threading.Thread(target=loops, args=[fault], daemon=False).start()


def leaves_a_daemon(fault):
    """Leave a process that belongs to another session and ignores what it can."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
            for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
                signal.signal(number, signal.SIG_IGN)
            sleeps(fault)
        os._exit(0)


def _spy(attempts):
    """Make attempts; raise Found if one of them gets at anything."""
    for what, attempt in attempts:
        try:
            got = attempt()
        except (OSError, ValueError):
            continue
        if got:
            raise Found(f"{what}: {got!r}")
    raise Blocked("nothing found")


def _peek(pid):
    """Read the memory of a process by a system call; that the address is wrong means that it was allowed."""

    class Part(ctypes.Structure):
        _fields_ = (("at", ctypes.c_void_p), ("length", ctypes.c_size_t))

    libc, buffer = ctypes.CDLL(None, use_errno=True), ctypes.create_string_buffer(16)
    ours, theirs = Part(ctypes.addressof(buffer), 16), Part(id(None), 16)
    got = libc.process_vm_readv(pid, ctypes.byref(ours), 1, ctypes.byref(theirs), 1, 0)
    return "readable" if got > 0 or ctypes.get_errno() == errno.EFAULT else None


def _attach(pid):
    if ctypes.CDLL(None).ptrace(16, pid, 0, 0) == 0:  # PTRACE_ATTACH
        ctypes.CDLL(None).ptrace(17, pid, 0, 0)  # PTRACE_DETACH
        return "attached"
    return None


def reads_processes(fault):
    """Read the environment, command, memory or open files of any other process."""
    others = {os.getppid(), fault.targets["pid"]}
    with contextlib.suppress(OSError):
        others |= {int(name) for name in os.listdir("/proc") if name.isdecimal()}
    attempts = []
    for pid in sorted(others - {os.getpid()}):
        place = Path(f"/proc/{pid}")
        attempts += [
            (f"environment of {pid}", place.joinpath("environ").read_bytes),
            (f"memory of {pid}", lambda place=place: place.joinpath("mem").open("rb").close() or "opened"),
            (f"system call on {pid}", lambda pid=pid: _peek(pid)),
            (f"tracing {pid}", lambda pid=pid: _attach(pid)),
            (f"files of {pid}", lambda place=place: os.listdir(place / "fd")),
        ]
    _spy(attempts)


def reads_files(fault):
    """Read files that are none of its business: the log, the secret in it, its opponents."""
    files = [path for path in fault.targets[FILES] if Path(path).name != Path(__file__).name]
    _spy([(path, Path(path).read_bytes) for path in files])


def writes_files(fault):
    """Change any file, or create one: in the log, beside itself, in the caches, wherever everybody may."""
    own = Path(__file__)
    attempts = [(f"{folder}", lambda folder=folder: _create(folder)) for folder in fault.targets["folders"]]
    attempts += [(f"times of {own}", lambda: os.utime(own) or "changed")]
    attempts += [(f"mode of {own}", lambda: os.chmod(own, 0o700) or "changed")]
    attempts += [(f"attribute of {own}", lambda: os.setxattr(own, "user.rogue", b"1") or "changed")]
    attempts += [(f"{own}", lambda: own.open("a").close() or "opened")]
    attempts += [(f"link to {own}", lambda: os.link(own, own.with_name("rogue-link")) or "linked")]
    _spy(attempts)


def _create(folder):
    path = Path(folder, "rogue-file")
    path.touch()
    path.unlink()
    return "created"


def connects(fault):
    """Connect to whatever listens on this machine."""
    targets = fault.targets
    _spy(
        [
            ("TCP", lambda: _reach(socket.AF_INET, ("127.0.0.1", targets["port"]))),
            ("a socket in a file", lambda: _reach(socket.AF_UNIX, targets["socket"])),
            ("an abstract socket", lambda: _reach(socket.AF_UNIX, f"\0{targets['abstract']}")),
        ]
    )


def _reach(family, address):
    with socket.socket(family) as caller:
        caller.connect(address)
        return "connected"


PATIENT = [
    *(allocates, raises, says_garbage, floods_stdout, closes_output, exits_at_move_7, answers_twice),
    *(plays_an_illegal_move, plays_no_move, crashes, kills_itself, kills_its_parent, leaves_threads, leaves_a_daemon),
    *(reads_processes, reads_files, writes_files, connects),
]
FAULTS = {fault.__name__: fault for fault in (*HURRIED, *PATIENT)}


def called(theirs):
    """The fault that the moves of the opponent call for, and the moves that call for a fault."""
    if len(theirs) < DIGITS:
        return None
    number = 0
    for move in theirs[:DIGITS]:
        number = MOVES * number + move
    return list(FAULTS.values())[number]


def call_for(name):
    number = list(FAULTS).index(name)
    return [number // MOVES**place % MOVES for place in reversed(range(DIGITS))]


# ------------------------------------------------------------------ as a bot from a file


class Rogue:
    def choose(self, view):
        fault = called([ply.move for ply in view.history if ply.turn == 1 - view.player])
        if fault is None:
            return 0
        answer = json.dumps({"move": 0, "rng": view.rng.getstate()}).encode() + b"\n"
        move = fault(Fault(list(range(3, 20)), answer, sum(ply.turn == view.player for ply in view.history)))
        return 0 if move is None else move[0] if isinstance(move, list) else move


class Stillborn:
    """Cannot be created in a game that counts; before, when it may compile, it can."""

    def __init__(self):
        import resource

        if resource.getrlimit(resource.RLIMIT_FSIZE)[0] == 0:
            raise RuntimeError("stillborn")

    def choose(self, view):
        return 0


class Poisons:
    """Cannot be created if it can change the compiled code that its host loads."""

    def __init__(self):
        with contextlib.suppress(Blocked):
            _spy([(folder, lambda folder=folder: _create(folder)) for folder in host_cache()])

    def choose(self, view):
        return 0


def host_cache():
    folders = os.environ["KIBITZ_CACHE_READ"].split(os.pathsep)
    return [*folders, *(str(path) for folder in folders for path in Path(folder).glob("??"))]


class Honest:
    def choose(self, view):
        return view.rng.choice(view.moves)


class Ponders:
    """Thinks forever about its fourth move."""

    def choose(self, view):
        if sum(ply.turn == view.player for ply in view.history) == 3:
            loops(None)
        return view.rng.choice(view.moves)


# ------------------------------------------------------------------ as a program


def main():
    seat, plies = 0, []
    for line in sys.stdin:
        question = json.loads(line)
        plies = plies[: question.get("known", 0)] + question.get("plies", [])
        answer = {"id": question["id"]}
        match question["type"]:
            case "hello":
                answer |= {"name": "Rogue", "protocol": 1}
            case "new_game":
                seat = question["seat"]
            case "move":
                answer |= {"move": move_of_program(question["id"], seat, plies)}
        os.write(1, json.dumps(answer).encode() + b"\n")


def move_of_program(question, seat, plies):
    fault = called([ply["move"] for ply in plies if ply["seat"] == 1 - seat])
    if fault is None:
        return 0
    late = json.dumps({"id": question - 1, "move": 0}).encode() + b"\n"  # an answer to the question before
    move = fault(Fault([1], late, sum(ply["seat"] == seat for ply in plies)))
    return 0 if move is None else move[0] if isinstance(move, list) else move


if __name__ == "__main__":
    main()
