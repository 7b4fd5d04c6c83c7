"""Every test runs compiled code with bounds checks, and shares one cache of machine code per checkout.

The environment is set before kibitz and numba are imported; subprocesses and parallel test workers inherit it.
"""

import contextlib
import io
import os
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

os.environ["NUMBA_BOUNDSCHECK"] = "1"
os.environ.setdefault("NUMBA_OPT", "1")  # compiling is most of the work; `make soak` optimizes fully
os.environ.setdefault("KIBITZ_CACHE", str(Path(__file__).parent.parent / ".pytest_cache" / "kibitz"))
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more would only wait for each other beside parallel tests
for switch in ("KIBITZ_PLAIN", "NUMBA_DISABLE_JIT"):  # tests choose plain mode themselves
    os.environ.pop(switch, None)

# No deadline: the first example of a compiled function compiles it. The same examples in every run.
settings.register_profile("kibitz", deadline=None, derandomize=True)
settings.load_profile("kibitz")

with contextlib.suppress(ValueError):  # not the main thread
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's `&` leaves it ignored


@pytest.fixture(scope="session", autouse=True)
def no_fresh_seeds():
    """A table or tournament without a seed, or a secret that it needs, has the same one in every run."""
    from kibitz.rules import rng  # not before the environment is set

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rng, "fresh_seed", lambda: 0)
        patch.setattr(rng, "fresh_secret", lambda: "0" * rng.SECRET_DIGITS)
        yield


@dataclass
class Outcome:
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command line within the test process: `run("play connect_four", typed="4\\n")`."""
    from kibitz.cli import main

    def run(*arguments, typed=""):
        words = arguments[0].split() + list(arguments[1:])
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main(words)
        return Outcome(end.value.code or 0, *capsys.readouterr())

    return run
