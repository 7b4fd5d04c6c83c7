"""All of this holds for root and for other users: as root, the tests of sandboxes run once more as nobody."""

import os
import shutil
import site
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import kibitz

NOBODY = 65534
HERE = Path(__file__).parent
ROOT = Path(kibitz.__file__).parents[1]
FROM_WARDEN = (
    "daemons_that_ignore_all_signals_are_gone_after_the_game",
    "closing_leaves_no_process_no_open_file_and_no_control_group",
    "a_zygote_that_is_killed_costs_one_game_and_is_replaced",
    "nothing_is_left_of_a_host_that_is_killed",
)


def run_as_nobody(*command, home):
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "PYTHONPATH": os.pathsep.join([*site.getsitepackages(), str(ROOT)]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.run(
        command,
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        env=environment,
        cwd=home,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.fixture
def home():
    """A folder of that user; those of pytest are for this user alone."""
    folder = Path(tempfile.mkdtemp(prefix="kibitz-nobody-"))
    os.chown(folder, NOBODY, NOBODY)
    yield folder
    shutil.rmtree(folder)


def python_for_nobody(home):
    """A Python that another user can run, with the packages installed here."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    for python in filter(None, (sys.executable, shutil.which(version, path="/usr/local/bin:/usr/bin"))):
        try:
            if run_as_nobody(python, "-c", "import pytest, hypothesis, kibitz", home=home).returncode == 0:
                return python
        except PermissionError:  # it lives where nobody else can go
            continue
    pytest.skip("no Python here can be run by another user")
    return None


@pytest.mark.skipif(os.geteuid() != 0, reason="the other tests have just shown it for this user")
def test_what_holds_for_root_holds_for_nobody(home):
    options = ["-q", "-p", "no:cacheprovider", f"--basetemp={home / 'tests'}"]
    tests = [HERE / "test_confinement.py", *(f"{HERE / 'test_warden.py'}::test_{name}" for name in FROM_WARDEN)]
    done = run_as_nobody(python_for_nobody(home), "-m", "pytest", *options, *map(str, tests), home=home)
    assert done.returncode == 0, done.stdout
