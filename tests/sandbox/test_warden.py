"""Wardens: every game has a new process, which ends with the game, and everything ends with the warden."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from inmates import Inmate, inmate_of, skip_unless_given, warden_of
from processes import LONG, descendants, is_running, kill, open_files, wait_for, zygotes_of

import kibitz
from kibitz import KibitzError
from kibitz.sandbox import control_groups
from kibitz.sandbox.levels import SandboxLevel
from kibitz.sandbox.pipes import ProcessDied, ProcessEnding
from kibitz.sandbox.policy import Policy
from kibitz.sandbox.warden import Warden
from kibitz.sandbox.zygote import STDERR_BYTES

LEVELS = list(SandboxLevel)


def groups():
    """The control groups of this process."""
    found = (parent.glob(f"kibitz-{os.getpid()}-*") for parent in control_groups.parents())
    return {folder for folders in found for folder in folders}


@pytest.fixture(params=LEVELS)
def warden(request):
    """A warden of its own."""
    warden = warden_of(request.param)
    warden.level = request.param
    yield warden
    warden.close()


def started(warden):
    return Inmate(warden.start(), warden.level)


# ------------------------------------------------------------------ one game after another


def test_every_game_has_a_new_process_that_remembers_nothing(inmate, wardens):
    inmate("sys.memory = 1")
    inmate("os.environ.update(MEMORY='1')")
    inmate("os.umask(0o777)")
    first = inmate("os.getpid()")
    assert inmate("sys.memory") == 1
    inmate.channel.close()
    later = Inmate(wardens(inmate.level).start(), inmate.level)
    assert later("os.getpid()") != first
    assert later("hasattr(sys, 'memory') or 'MEMORY' in os.environ or os.umask(0o22) == 0o777") is False
    later.channel.close()


def test_the_process_of_a_game_is_gone_after_it(warden):
    one = started(warden)
    one("1")
    sandbox = warden._sandbox._process.pid
    before = descendants(sandbox)
    one.channel.close()
    assert one.channel.ending.status is None
    gone = before - descendants(sandbox)
    assert len(gone) == 1
    assert not any(map(is_running, gone))


DAEMON = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in range(3):
            os.close(fd)
        import signal, time
        for one in set(signal.Signals) - {9, 19}:
            signal.signal(one, signal.SIG_IGN)
        while True:
            time.sleep(1000)
    os._exit(0)
os.wait()
"""


@pytest.mark.parametrize("level", [SandboxLevel.BWRAP, SandboxLevel.NONE])
def test_daemons_that_ignore_all_signals_are_gone_after_the_game(level):
    warden = warden_of(level)
    warden.level = level
    try:
        one = started(warden)
        before = descendants(os.getpid())
        one(DAEMON)
        daemons = descendants(os.getpid()) - before
        assert daemons
        one.channel.close()
        assert not any(map(is_running, daemons))
        assert started(warden)("1 + 1") == 2
    finally:
        warden.close()


def test_how_a_process_ended_is_known(warden):
    for code, ending in (("os._exit(3)", "exited with code 3"), ("os.abort()", "was killed by SIGABRT")):
        one = started(warden)
        with pytest.raises(ProcessDied, match=ending):
            one(code)


def test_a_program_that_is_not_there_says_so():
    heard = []
    warden = warden_of(SandboxLevel.NONE, command=["/no/such/program"], heard=heard.append)
    with pytest.raises(ProcessDied, match="exited with code 127"):
        warden.start().receive(LONG)
    assert heard == ["Cannot run /no/such/program: No such file or directory.\n"]
    warden.close()


def test_programs_find_signals_as_they_expect_them(inmate):
    ignored = inmate("[line.split()[1] for line in open('/proc/self/status') if line.startswith('SigIgn')]")
    by_python = 1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1  # by the one that reads the status
    standard = (1 << 31) - 1  # without those above, which libraries use among themselves
    assert int(ignored[0], 16) & standard == by_python


def test_a_program_that_writes_into_a_closed_pipe_is_killed_as_usual():
    warden = warden_of(SandboxLevel.NONE, command=["sh", "-c", "kill -PIPE $$; echo alive; read line"])
    with pytest.raises(ProcessDied, match="was killed by SIGPIPE"):
        warden.start().receive(LONG)
    warden.close()


# ------------------------------------------------------------------ stderr


def test_the_end_of_what_it_writes_to_stderr_is_kept():
    heard = []
    with inmate_of(SandboxLevel.NONE, heard=heard.append) as one:
        one("sys.stderr.write('x' * 10**6 + 'last words')")
        one("sys.stderr.flush()")
        one.channel.close()
    (words,) = heard
    assert len(words) == STDERR_BYTES
    assert words.endswith("xxx" + "last words")
    assert one.channel.ending.stderr == words


FLOOD = """
import threading
begun = threading.Event()

def flood():
    while True:
        os.write(2, b"x" * 65536)
        begun.set()

threading.Thread(target=flood, daemon=True).start()
begun.wait()
"""


def test_a_process_that_writes_to_stderr_without_end_is_still_asked_and_ended(warden):
    one = started(warden)
    one(FLOOD)
    assert [one(f"{n} + 1") for n in range(20)] == list(range(1, 21))
    one.channel.close()
    assert len(one.channel.ending.stderr) == STDERR_BYTES
    assert started(warden)("1") == 1


# ------------------------------------------------------------------ the end


def test_closing_leaves_no_process_no_open_file_and_no_control_group(warden):
    files, processes, folders = open_files(), descendants(os.getpid()), groups()
    for _ in range(2):
        one = started(warden)
        assert one("1") == 1
        assert bool(groups() - folders) == bool(control_groups.parents())
        warden.close()
        one.channel.close()
        assert descendants(os.getpid()) <= processes
        assert open_files() == files
        assert groups() == folders


def test_a_warden_that_is_dropped_ends_its_sandbox():
    before = descendants(os.getpid())
    warden = warden_of(SandboxLevel.NONE)
    channel = warden.start()
    assert descendants(os.getpid()) - before
    del warden, channel
    assert descendants(os.getpid()) <= before


def zygote_of(warden):
    """The process that forks."""
    (zygote,) = zygotes_of(warden._sandbox._process.pid)
    return zygote


def test_a_zygote_that_is_killed_costs_one_game_and_is_replaced(warden):
    others = descendants(os.getpid())
    one = started(warden)
    one("1")
    own = descendants(os.getpid()) - others
    kill(zygote_of(warden))
    wait_for(lambda: not any(map(is_running, own)))
    with pytest.raises(ProcessDied, match="was killed by SIGKILL") as caught:
        one("1")
    assert caught.value.by_signal
    assert started(warden)("1 + 1") == 2


def test_a_zygote_that_is_killed_between_two_games_costs_nothing(warden):
    started(warden).channel.close()
    kill(zygote_of(warden))
    assert started(warden)("1 + 1") == 2


def test_an_interrupt_at_the_end_of_a_game_does_not_mix_up_two_endings(warden, monkeypatch):
    one = started(warden)
    sandbox = warden._sandbox

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(sandbox, "_answer", interrupted)
    with pytest.raises(KeyboardInterrupt):
        one.channel.close()
    two = started(warden)
    with pytest.raises(ProcessDied, match="exited with code 7"):
        two("os._exit(7)")


HOST = """
import sys
sys.path[:0] = {path!r}
from inmates import Inmate, warden_of
warden = warden_of({level!r})
one = Inmate(warden.start(), {level!r})
one("1")
print("ready", flush=True)
one("[n for n in iter(int, 1)]")  # for ever
"""


@pytest.mark.parametrize("level", LEVELS)
def test_nothing_is_left_of_a_host_that_is_killed(level):
    skip_unless_given(level)
    script = HOST.format(path=[str(Path(__file__).parents[1]), str(Path(kibitz.__file__).parents[1])], level=str(level))
    host = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert host.stdout.readline() == b"ready\n"
    left = descendants(host.pid)
    assert len(left) >= 2
    host.kill()
    host.wait()
    host.stdout.close()
    wait_for(lambda: not any(map(is_running, left)))


# ------------------------------------------------------------------ sandboxes that do not start


def test_a_sandbox_that_does_not_start_says_why(tmp_path, monkeypatch):
    skip_unless_given(SandboxLevel.BWRAP)
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace.' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    files = open_files()
    warden = warden_of(SandboxLevel.BWRAP)
    with pytest.raises(KibitzError) as caught:
        warden.start()
    sentence = "The sandbox of a bot did not start: bwrap: No permissions to create a new namespace."
    assert str(caught.value) == sentence
    assert open_files() == files


def test_what_cannot_be_prepared_is_a_sentence():
    prepare = "kibitz.players.guest:prepare", ["no_such_game", False]
    warden = Warden(Policy(()), SandboxLevel.NONE, {}, prepare=prepare)
    with pytest.raises(KibitzError, match="no_such_game"):
        warden.start()


def test_without_a_sandbox_there_is_no_ending():
    warden = warden_of(SandboxLevel.NONE)
    channel = warden.start()
    warden.close()
    channel.close()
    assert channel.ending == ProcessEnding(None)
