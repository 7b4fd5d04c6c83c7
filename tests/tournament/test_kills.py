"""Killed from outside: a bot, its sandbox, a worker, or the whole tournament."""

import contextlib
import os
import shutil

import numpy as np
import pytest
import rogues
from logged_games import equal
from processes import LONG, command_of, descendants, guests_of, is_running, kill, parent_of, wait_for, zygotes_of
from trials import LEVELS, NIM, SECRET, kill_tournament

import kibitz
from kibitz.players.roster import resolve_all
from kibitz.players.seating import terms_for
from kibitz.records.games import Games, Outcome
from kibitz.sandbox import control_groups
from kibitz.tournament.executors import Processes, Serial
from kibitz.tournament.match import Match
from kibitz.tournament.plan import Plan
from kibitz.tournament.schedule import Schedule


class Killer:
    """Kills the processes of its opponent, or its sandbox, while the game waits for this bot's third move."""

    kills = 0  # how many more times
    victims = staticmethod(guests_of)
    others = frozenset()  # processes of other tests

    def choose(self, view):
        if Killer.kills and sum(ply.turn == view.player for ply in view.history) == 2:
            Killer.kills -= 1
            (victim,) = Killer.victims(os.getpid()) - Killer.others
            kill(victim)
        return view.rng.choice(view.moves)


@pytest.fixture
def honest(tmp_path):
    shutil.copy(rogues.__file__, tmp_path)
    return f"{tmp_path}/rogues.py:Honest"


def played(specs, level, kills=0, victims=guests_of):
    """Two games with the same luck."""
    Killer.kills, Killer.victims, Killer.others = kills, staticmethod(victims), descendants(os.getpid())
    with kibitz.plain():
        rules, number = kibitz.game(NIM), np.arange(2)
        entrants = resolve_all(specs, rules)
        with contextlib.closing(Match(rules, entrants, 1, terms_for(entrants, level, LONG), secret=SECRET)) as match:
            games = match.play(number, number // 2, np.array([[0, 1], [1, 0]], "i2"), keep_moves=True)
    assert Killer.kills == 0
    games.seconds[:] = 0
    return games


@pytest.mark.parametrize("level", LEVELS[:1])
def test_a_game_is_played_again_if_a_process_of_a_bot_was_killed(honest, level):
    undisturbed = played([Killer, honest], level)
    assert undisturbed.outcome.tolist() == [Outcome.BOARD] * 2
    assert equal(played([Killer, honest], level, kills=1), undisturbed)
    assert equal(played([Killer, honest], level, kills=1, victims=zygotes_of), undisturbed)


def test_a_bot_that_is_killed_again_has_lost(honest):
    games = played([Killer, honest], LEVELS[0], kills=2)
    assert games.outcome.tolist() == [Outcome.CRASH, Outcome.BOARD]
    assert "killed by SIGKILL" in games.fault[0]
    assert games.payoff[0].tolist() == [1.0, 0.0]


def is_worker(pid):
    """Whether a process is a worker of this one; for a moment, what a worker starts has the same command."""
    return parent_of(pid) == os.getpid() and "tournament.executors" in command_of(pid)


def test_the_games_of_a_worker_that_is_killed_while_bots_sit_in_sandboxes_are_played_by_another(honest):
    def plan():
        rules, specs = kibitz.game(NIM), (honest, "random")
        terms = terms_for(resolve_all(specs, rules), move_time=LONG)
        return Plan(NIM, specs, 1, Schedule(2, 2, 8), keep_moves=True, plain=True, terms=terms, secret=SECRET)

    def finished(executor, between):
        what, done = plan(), {}
        tasks = ((chunk, np.array([2 * chunk, 2 * chunk + 1])) for chunk in range(4))
        for _ in executor.play(what.contest(), tasks, done.update):
            between()
        games = Games.joined([done[chunk] for chunk in sorted(done)])
        games.seconds[:] = 0
        return games

    killed, others = [], descendants(os.getpid())

    def kill_worker():
        if not killed:
            killed.extend((guests_of(os.getpid()) | zygotes_of(os.getpid())) - others)
            (worker,) = filter(is_worker, descendants(os.getpid()))
            kill(worker)

    with kibitz.plain():
        assert equal(finished(Processes(1), kill_worker), finished(Serial(), lambda: None))
    assert killed
    wait_for(lambda: not any(map(is_running, killed)))


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS[:1])
def test_no_process_is_left_of_a_tournament_that_is_killed_while_bots_think(honest, level):
    pids = kill_tournament([honest.replace("Honest", "Ponders"), "random"], level)
    wait_for(lambda: not any(map(is_running, pids)))
    wait_for(lambda: not groups_of(pids))  # once nobody waits for the workers any more


def groups_of(pids):
    """The control groups of processes that remain when another tournament begins, which removes those of the dead."""
    control_groups.parents.cache_clear()
    groups = [group.name for parent in control_groups.parents() for group in parent.glob("kibitz-*")]
    return [name for name in groups if int(name.split("-")[1]) in pids]
