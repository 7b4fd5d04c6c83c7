"""Whatever a stranger's bot does wrong costs it that game, and nothing else: see rogues.py for what they do."""

import tempfile

import pytest
import rogues
from processes import LONG
from trials import (
    BOARD,
    BOT,
    LEVELS,
    NIM,
    PROGRAM,
    Court,
    Teller,
    games_of,
    has_bounded_processes,
    left,
    survives_its_parent,
)

import kibitz
from kibitz.errors import SpecError
from kibitz.players.seating import STDERR, STDERR_BYTES
from kibitz.sandbox.levels import SandboxLevel

STRONGEST = LEVELS[0]
SHORT = 0.1  # seconds per move, for bots that use up any time they get; their opponents have no clock
# The strongest level with both kinds of bots, another one with one kind; benchmarks/faults.py does all of it.
BOTH = [(level, (BOT, PROGRAM) if level is STRONGEST else (BOT,)) for level in LEVELS[:2]]


@pytest.fixture
def court(tmp_path, monkeypatch, request):
    """A place for a tournament, with its own folder for temporary files."""
    level = request.node.callspec.params.get("level", STRONGEST) if hasattr(request.node, "callspec") else STRONGEST
    (tmp_path / "tmp").mkdir()
    (tmp_path / "court").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    with Court(tmp_path / "court", level) as place, kibitz.plain():
        monkeypatch.chdir(place.cwd)
        yield place


@pytest.mark.slow
@pytest.mark.parametrize(("level", "kinds"), BOTH)
def test_a_fault_costs_a_bot_its_game_and_leaves_nothing(court, level, kinds):
    names = [fault.__name__ for fault in rogues.PATIENT]
    if survives_its_parent(level):
        names.remove("kills_its_parent")
    before = left(court.folder)
    trials, games = court.trials(names, 1, LONG, kinds)
    assert left(court.folder) - before == set()
    assert [trial for trial in trials if not trial.is_as_expected(level)] == []
    faults = games.outcome != BOARD
    assert [games.payoff[row][games.fault_seat[row]] for row in faults.nonzero()[0]] == [0.0] * faults.sum()
    assert not faults[(games.bots == 1 + len(kinds)).any(axis=1)].any()  # the games of a bystander
    assert court.visits() == 0 or level is SandboxLevel.NONE
    assert {trial.choices for trial in trials if trial.fault == "exits_at_move_7"} == {7}


@pytest.mark.slow
@pytest.mark.parametrize(("level", "kinds"), BOTH)
def test_a_bot_that_uses_up_its_time_loses_its_game_and_leaves_nothing(court, level, kinds):
    names = [fault.__name__ for fault in rogues.HURRIED]
    if not has_bounded_processes(level):
        names.remove("forks_without_end")
    before = left(court.folder)
    trials, _ = court.trials(names, 1, SHORT, kinds)
    assert left(court.folder) - before == set()
    assert [trial for trial in trials if not trial.is_as_expected(level)] == []
    assert all(path.stat().st_size <= STDERR_BYTES for path in (court.log / STDERR).iterdir())


def test_the_games_of_others_are_the_same_as_without_a_rogue(court):
    names = ["raises", "kills_itself", "plays_an_illegal_move"]
    beside, _ = court.play([Teller, court.specs[PROGRAM], court.bystander, "random"], names, 1, LONG, court.log)
    alone, _ = court.play([Teller, "greedy", court.bystander, "random"], names, 1, LONG, court.folder / "alone")
    assert games_of(beside, 3) == games_of(alone, 3)
    assert games_of(beside, 2) == games_of(alone, 2)
    assert games_of(beside, 1) != games_of(alone, 1)


def test_a_bot_that_cannot_be_created_in_a_game_loses_it(court):
    result = kibitz.arena(NIM, [f"{court.rogues}/others.py:Stillborn", "random"], games=2, seed=1, workers=1)
    assert result.tally.bots.payoff.tolist() == [0, 2]
    assert all("stillborn" in words for *_, words in result.tally.fault_words)


def test_a_bot_that_cannot_even_be_loaded_is_refused_before_the_tournament(court):
    (court.rogues / "broken.py").write_text("raise RuntimeError('broken')\n")
    with pytest.raises(SpecError, match="broken"):
        kibitz.arena(NIM, [f"{court.rogues}/broken.py:Bot", "random"], games=2)


def test_a_program_that_does_not_run_is_refused_before_the_tournament(court):
    with pytest.raises(SpecError, match="exited with code 3"):
        kibitz.arena(NIM, ["cmd:/bin/sh -c 'exit 3'", "random"], games=2)
