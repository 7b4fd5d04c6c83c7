"""Every test runs compiled code with bounds checks, and shares one cache of machine code per checkout.

The environment is set before kibitz and numba are imported; subprocesses and parallel test workers inherit it.
"""

import contextlib
import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

os.environ["NUMBA_BOUNDSCHECK"] = "1"
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
    """A table or tournament without a seed has the same one in every run."""
    from kibitz.rules import rng  # not before the environment is set

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rng, "fresh_seed", lambda: 0)
        yield
