"""A bot that tries to remember one game in the next, in every place there is, as a bot from a file and as a program.

When it is asked for its first move of a game and finds anything in any place, it raises Found, with the numbers of the
places and what it remembers: the outcomes of chance that it saw. Next to it, a file `name` names what it leaves, and a
file `usual` has the settings that a process inherits from the test.
"""

import contextlib
import ctypes
import json
import os
import resource
import signal
import stat
import sys
import time
from pathlib import Path

CHANCE = -1
OWN = Path(__file__)
IS_GUEST = "pytest" not in sys.modules
HOST = os.getppid() if IS_GUEST else os.getpid()  # whose settings a process inherits
LIBC = ctypes.CDLL(None, use_errno=True)
IPC_CREATE, IPC_REMOVE = 0o1000, 0
remembered = None


class Found(Exception):
    """What was remembered, and where."""


def name():
    with contextlib.suppress(OSError):
        return OWN.with_name("name").read_text()
    return "memories"


class InTheModule:
    def keep(self, words):
        global remembered
        remembered = words

    def recall(self):
        return remembered

    def forget(self):
        self.keep(None)


class InTheClass:
    words = None

    def keep(self, words):
        InTheClass.words = words

    def recall(self):
        return InTheClass.words

    def forget(self):
        self.keep(None)


class InTheEnvironment:
    def keep(self, words):
        os.environ["MEMORIES"] = words

    def recall(self):
        return os.environ.get("MEMORIES")

    def forget(self):
        os.environ.pop("MEMORIES", None)


class InADaemon:
    """A process in a session of its own; its name is what it remembers."""

    started = False

    def keep(self, words):
        if self.started:
            return
        self.started = True
        if os.fork() == 0:
            try:
                os.setsid()
                if os.fork() == 0:
                    self._live(name()[:15].encode())
            finally:
                os._exit(0)

    def _live(self, called):
        LIBC.prctl(1, 0, 0, 0, 0)  # PR_SET_PDEATHSIG
        LIBC.prctl(15, called, 0, 0, 0)  # PR_SET_NAME
        os.closerange(0, 100)
        for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        while True:
            time.sleep(1000)

    def recall(self):
        return " ".join(str(pid) for pid in self._pids()) or None

    def _pids(self):
        for place in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if place.joinpath("comm").read_text().strip() == name()[:15]:
                    yield int(place.name)

    def forget(self):
        for pid in list(self._pids()):
            os.kill(pid, signal.SIGKILL)


class InAFile:
    def __init__(self, folder):
        self.folder = folder

    @property
    def path(self):
        return Path(self.folder(), name())

    def keep(self, words):
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text(words)

    def recall(self):
        return self.path.read_text() or "a file"  # its size may be limited to nothing

    def forget(self):
        self.path.unlink(missing_ok=True)


class InTheNameOfAFile(InAFile):
    """Even where nothing can be written to a file, it may have a name."""

    def keep(self, words):
        os.symlink(words, self.path)

    def recall(self):
        return os.readlink(self.path)


class InASocket(InAFile):
    @property
    def path(self):
        return Path(self.folder(), f"{name()}.socket")

    def keep(self, words):
        import socket

        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.path))

    def recall(self):
        return "a socket" if self.path.exists() else None


class InSharedMemory:
    """System V shared memory, which outlives processes."""

    def _key(self):
        return sum(name().encode()) + 0x6B690000

    def _at(self, flags):
        number = LIBC.shmget(self._key(), 4096, flags)
        if number < 0:
            return None
        LIBC.shmat.restype = ctypes.c_void_p
        return LIBC.shmat(number, None, 0)

    def keep(self, words):
        if at := self._at(IPC_CREATE | 0o600):
            ctypes.memmove(at, words.encode() + b"\0", len(words) + 1)

    def recall(self):
        at = self._at(0)
        return ctypes.string_at(at).decode() if at else None

    def forget(self):
        if (number := LIBC.shmget(self._key(), 4096, 0)) >= 0:
            LIBC.shmctl(number, IPC_REMOVE, None)


class InTheTimesOfItsFile:
    def keep(self, words):
        os.utime(OWN, (1, 1))

    def recall(self):
        return "a time" if OWN.stat().st_mtime == 1 else None

    def forget(self):
        os.utime(OWN)


class InTheModeOfItsFile:
    def keep(self, words):
        OWN.chmod(0o751)

    def recall(self):
        return "a mode" if stat.S_IMODE(OWN.stat().st_mode) == 0o751 else None

    def forget(self):
        OWN.chmod(0o644)


class InTheLimitsOfItsHost:
    def keep(self, words):
        _, hard = resource.getrlimit(resource.RLIMIT_SIGPENDING)
        resource.prlimit(HOST, resource.RLIMIT_SIGPENDING, (sum(words.encode()), hard))

    def recall(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_SIGPENDING)
        return str(soft) if soft != hard else None

    def forget(self):
        _, hard = resource.getrlimit(resource.RLIMIT_SIGPENDING)
        resource.setrlimit(resource.RLIMIT_SIGPENDING, (hard, hard))


def settings():
    """The priority of this process, and the number of its processors."""
    return [os.getpriority(os.PRIO_PROCESS, 0), len(os.sched_getaffinity(0))]


def usual():
    return json.loads(OWN.with_name("usual").read_text())


class InThePriorityOfItsHost:
    LAST = 19

    def keep(self, words):
        os.setpriority(os.PRIO_PROCESS, HOST, self.LAST)

    def recall(self):
        return "a priority" if settings()[0] != usual()[0] else None


class InTheProcessorsOfItsHost:
    def keep(self, words):
        os.sched_setaffinity(HOST, {min(os.sched_getaffinity(0))})

    def recall(self):
        return "a processor" if settings()[1] != usual()[1] else None


def cache(variable):
    """The folder of a cache, which only bots from files know."""
    return lambda: os.environ.get(variable, f"{OWN.parent}/none/{variable}").split(os.pathsep)[0]


INSIDE = {  # with the process
    "its module": InTheModule(),
    "its class": InTheClass(),
    "the environment": InTheEnvironment(),
    "a daemon": InADaemon(),
}
OUTSIDE = {
    "a file in /tmp": InAFile(lambda: "/tmp"),
    "a link in /tmp": InTheNameOfAFile(lambda: "/var/tmp"),
    "a file in /dev/shm": InAFile(lambda: "/dev/shm"),
    "a file in the working directory": InAFile(os.getcwd),
    "a file in its own folder": InAFile(lambda: str(OWN.parent / "kept")),
    "its compiled bytecode": InAFile(lambda: str(OWN.parent / "__pycache__")),
    "the cache of guests": InAFile(cache("KIBITZ_CACHE")),
    "the cache of the host": InAFile(cache("KIBITZ_CACHE_READ")),
    "a socket": InASocket(lambda: "/tmp"),
    "shared memory": InSharedMemory(),
    "the times of its file": InTheTimesOfItsFile(),
    "the mode of its file": InTheModeOfItsFile(),
    "the limits of its host": InTheLimitsOfItsHost(),
    "the priority of its host": InThePriorityOfItsHost(),
    "the processors of its host": InTheProcessorsOfItsHost(),
}
PLACES = INSIDE | OUTSIDE


def recall():
    """Raise Found if anything is remembered."""
    found = {}
    for number, memory in enumerate(PLACES.values()):
        with contextlib.suppress(OSError):
            if words := memory.recall():
                found[number] = words
    if found:
        raise Found(f"in {list(found)}: {next(iter(found.values()))}")


def keep(outcomes):
    for memory in PLACES.values():
        with contextlib.suppress(OSError):
            memory.keep(json.dumps(outcomes))


class Remembers:
    asked = False

    def choose(self, view):
        if not self.asked:
            recall()
        self.asked = True
        keep([ply.move for ply in view.history if ply.turn == CHANCE and ply.move >= 0])
        return view.moves[-1]


def main():
    outcomes, asked = [], False
    for line in sys.stdin:
        question = json.loads(line)
        answer = {"id": question["id"]}
        outcomes += [ply["move"] for ply in question.get("plies", []) if ply["seat"] == CHANCE and ply["move"] >= 0]
        match question["type"]:
            case "hello":
                answer |= {"name": "Remembers", "protocol": 1}
            case "move":
                if not asked:
                    recall()
                asked = True
                keep(outcomes)
                answer |= {"move": question["moves"][-1]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
