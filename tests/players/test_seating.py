"""Seating: who plays in a sandbox, what that sandbox holds, and how long it is kept."""

import os
from types import MappingProxyType

import pytest
import toys
from guests import BOTS, Here
from toys import Nim

import kibitz
from kibitz import SpecError, Table
from kibitz.compiler import disk_cache
from kibitz.players import seating
from kibitz.players.command import CommandBot
from kibitz.players.isolation import IsolatedBot
from kibitz.players.roster import resolve
from kibitz.players.seating import STDERR_BYTES, Players, Terms, check_strangers, make_player, terms_for, warden_for
from kibitz.rules.contract import game
from kibitz.sandbox.levels import SandboxLevel
from kibitz.sandbox.policy import is_within

NIM = f"{toys.__file__}:Nim"
TERMS = Terms(sandbox="none")  # nothing is started here


# ------------------------------------------------------------------ who is isolated


@pytest.fixture
def bots(tmp_path):
    """The path of a file with bots."""
    path = tmp_path / "bots_for_seating.py"
    path.write_text(BOTS)
    return path


OWN = f"""
import sys
sys.path.insert(0, {os.path.dirname(toys.__file__)!r})
import kibitz, toys

class Own:
    def choose(self, view):
        return view.moves[-1]

class Pupil(kibitz.Bot):
    learns = True
    def choose(self, view):
        return view.moves[-1]

@kibitz.game
class OwnNim(toys.Nim):
    bots = {{"own": Own, "usual": "mc:sims=10", "pupil": Pupil}}
"""


@pytest.fixture
def own_game(tmp_path):
    path = tmp_path / "own_game.py"
    path.write_text(OWN)
    return kibitz.game(f"{path}:OwnNim")


def test_a_shipped_bot_plays_in_this_process(own_game):
    for rules in (kibitz.game("connect_four"), own_game):
        assert type(make_player(resolve("mc:sims=10", rules), TERMS)) is type(kibitz.bot("mc", rules))
    assert type(make_player(resolve("usual", own_game), TERMS)) is type(kibitz.bot("mc", own_game))


def test_a_bot_from_a_file_is_isolated_and_not_even_loaded_here(tmp_path):
    (tmp_path / "loud.py").write_text("raise AssertionError('loaded')")
    player = make_player(resolve(f"{tmp_path}/loud.py:Loud", kibitz.game("connect_four:columns=5")), Terms(3.0))
    assert isinstance(player, IsolatedBot)
    assert player.move_time == 3.0


def test_a_games_own_bot_is_isolated_if_the_game_is_from_a_file(own_game):
    player = make_player(resolve("own", own_game), TERMS)
    assert isinstance(player, IsolatedBot)
    player._start = lambda: Here(own_game)
    assert player.choose(Table(own_game).view(0)) == 2


@pytest.mark.parametrize(("spec", "is_kept"), [("own", False), ("pupil", True)])
def test_the_process_of_a_bot_is_kept_from_game_to_game_if_it_learns(own_game, spec, is_kept):
    channels = []

    def start():
        channels.append(Here(own_game))
        return channels[-1]

    players = Players(own_game, Terms(sandbox="none", learners=("pupil",)))
    for _ in range(2):
        (bot,) = players.seat([resolve(spec, own_game)])
        bot._start = start
        bot.choose(Table(own_game).view(0))
    assert channels[0].closed != is_kept
    bots = {id(channel.guest.player) for channel in channels if not channel.closed}
    assert len(bots) == 1


class Last:
    def choose(self, view):
        return view.moves[-1]


@game
class TypedIn(Nim):
    bots = MappingProxyType({"last": Last})


def test_a_games_own_bot_plays_in_this_process_if_no_other_can_find_the_game():
    assert isinstance(make_player(resolve("last", TypedIn()), TERMS), Last)


def test_a_bot_from_a_file_cannot_play_a_game_that_its_process_cannot_find(bots):
    with pytest.raises(SpecError, match=r"cannot find the game TypedIn; move the game to a file"):
        make_player(resolve(f"{bots}:First", TypedIn()), TERMS)


def seated(players, specs):
    return players.seat([resolve(spec, players.game) for spec in specs])


def test_isolated_players_keep_their_sandboxes_and_others_are_new_in_every_game(bots):
    spec = f"{bots}:First"
    with Players(kibitz.game("connect_four"), TERMS) as players:
        first, second = seated(players, [spec, spec])
        assert first is not second
        assert seated(players, [spec, "random"])[0] is first
        assert seated(players, ["random", spec])[1] is first
        assert seated(players, [spec, spec]) == [first, second]
        assert seated(players, ["mc", "mc"])[0] is not seated(players, ["mc", "mc"])[0]


def test_a_seated_player_begins_a_new_game(bots):
    rules, channels = kibitz.game(NIM), []

    def start():
        channels.append(Here(rules))
        return channels[-1]

    with Players(rules, TERMS) as players:
        (player, _) = seated(players, [f"{bots}:Lucky", "random"])
        player._start = start
        player.choose(Table(rules).view(0))
        assert seated(players, ["random", f"{bots}:Lucky"])[1] is player
        player.choose(Table(rules).view(0))
    assert [channel.closed for channel in channels] == [True, True]


def test_a_limited_number_of_sandboxes_wait_for_another_game(bots):
    names = [f"{bots}:First", f"{bots}:Lucky", f"{bots}:Raises"]
    with Players(kibitz.game("connect_four"), TERMS, sandboxes=2) as players:
        channel = Here(kibitz.game("connect_four"))
        longest_idle = seated(players, [names[0], "random"])[0]
        longest_idle._start = lambda: channel
        longest_idle.ready()
        kept = seated(players, [names[1], "random"])[0]
        assert not channel.closed
        seated(players, [names[2], "random"])
        assert channel.closed
        assert seated(players, [names[1], "random"])[0] is kept
        assert seated(players, [names[0], "random"])[0] is not longest_idle


# ------------------------------------------------------------------ what a sandbox holds


def policy_of(spec, rules, terms=TERMS, opponents=()):
    return warden_for(resolve(spec, rules), terms, [resolve(other, rules) for other in opponents])._policy


@pytest.fixture
def four():
    return kibitz.game("connect_four:columns=4,rows=4")


@pytest.fixture
def folder(tmp_path):
    """A folder with bots."""
    for name in ("own.py", "other.py", "weights.npz"):
        (tmp_path / name).write_text("")
    (tmp_path / "program").write_text("#!/bin/sh\n")
    (tmp_path / "program").chmod(0o755)
    return tmp_path


def can_read(policy, path):
    shown = any(is_within(str(path), folder) for folder in policy.readable)
    return shown and not any(is_within(str(path), hidden) for hidden in policy.hidden)


def test_a_bot_can_read_its_folder_but_not_its_opponents(folder, four):
    own, other, program = f"{folder}/own.py:Own", f"{folder}/other.py:Other", f"cmd:{folder}/program"
    for spec, file, opponents in (
        (own, "own.py", ["other.py", "program"]),
        (program, "program", ["own.py", "other.py"]),
    ):
        policy = policy_of(spec, four, opponents=[own, other, program, "random"])
        assert can_read(policy, folder / file)
        assert can_read(policy, folder / "weights.npz")
        assert not any(can_read(policy, folder / name) for name in opponents)


def test_nor_can_it_before_the_first_game_when_it_may_write(folder, four, monkeypatch):
    policies = []

    class Warden:
        def __init__(self, policy, *_, **__):
            policies.append(policy)

        def start(self):
            return Here(four)

        def close(self):
            pass

    monkeypatch.setattr(seating, "Warden", Warden)
    (folder / "own.py").write_text(BOTS)
    (folder / "cache").mkdir()
    entrants = [resolve(spec, four) for spec in (f"{folder}/own.py:Learns", f"{folder}/other.py:Other", "random")]
    with pytest.raises(SpecError, match=r"other\.py"):
        check_strangers(entrants, Terms(sandbox="none", cache=str(folder / "cache")))
    assert policies[0].writable
    assert not can_read(policies[0], folder / "other.py")


def test_two_bots_in_one_file_and_the_file_of_the_rules_are_not_hidden(folder, own_game):
    policy = policy_of(f"{folder}/own.py:Own", own_game, opponents=[f"{folder}/own.py:Else", "own"])
    assert can_read(policy, folder / "own.py")
    assert can_read(policy, folder / "own_game.py")


def test_a_program_that_everybody_may_run_is_not_hidden(four):
    policy = policy_of("cmd:sh -c true", four, opponents=["cmd:/bin/sh -c false"])
    assert policy.hidden == ()


def test_an_option_that_names_a_file_opens_it_but_a_link_elsewhere_does_not(folder, tmp_path_factory, four):
    away = tmp_path_factory.mktemp("away")
    (away / "weights.npz").write_text("")
    (away / "link.npz").symlink_to(folder / "weights.npz")
    spec = f"{folder}/own.py:Own:weights="
    assert str(away / "weights.npz") in policy_of(f"{spec}{away}/weights.npz", four).readable
    assert str(away / "link.npz") not in policy_of(f"{spec}{away}/link.npz", four).readable


def test_the_log_is_hidden_and_keeps_what_bots_write_to_stderr(folder, four):
    entrant = resolve(f"{folder}/own.py:Own", four)
    terms = terms_for([entrant], "none", log=folder / "log")
    assert terms.level is SandboxLevel.NONE
    assert not can_read(warden_for(entrant, terms)._policy, folder / "log" / "games")
    assert terms.stderr == str(folder / "log" / "stderr")


def test_no_sandbox_is_needed_where_no_stranger_plays(monkeypatch, four):
    monkeypatch.setattr(seating, "choose_level", None)
    assert terms_for([resolve("random", four)], "bwrap") == Terms()


def test_what_a_bot_compiles_no_other_bot_loads_and_no_game_changes(folder, four):
    terms = Terms(sandbox="none", cache=str(folder / "cache"))
    (folder / "cache").mkdir()
    folders = []
    for name in ("own", "other"):
        spec = f"{folder}/{name}.py:Bot"
        assert policy_of(spec, four, terms).writable is None
        policy = policy_of(spec, four, Terms(sandbox="none", cache=str(folder / "cache"), may_compile=True))
        folders.append(policy.writable)
        assert policy.writable in policy.readable
        assert str(folder / "cache") not in policy.readable
    assert len({*folders}) == 2
    assert all(is_within(place, str(folder / "cache")) and os.path.isdir(place) for place in folders)


def test_a_bot_has_only_the_environment_that_it_needs_to_compile(folder, four, monkeypatch):
    monkeypatch.setenv("OUR_TOKEN", "secret")
    monkeypatch.setenv("NUMBA_OPT", "1")
    bot = warden_for(resolve(f"{folder}/own.py:Own", four), Terms(sandbox="none", cache=str(folder)))._environment
    program = warden_for(resolve(f"cmd:{folder}/program", four), TERMS)._environment
    assert "OUR_TOKEN" not in {*bot, *program}
    assert bot["NUMBA_OPT"] == "1"
    assert is_within(bot["KIBITZ_CACHE"], str(folder))
    assert bot["KIBITZ_CACHE_READ"] == os.pathsep.join(map(str, disk_cache.folders()))
    assert set(program) == {"PATH", "LANG", "HOME"}


def test_what_a_bot_writes_to_stderr_is_kept_up_to_a_bound(folder, four):
    log = folder / "stderr"
    log.mkdir()
    heard = warden_for(resolve(f"cmd:{folder}/program --depth 3", four), Terms(sandbox="none", stderr=str(log)))._heard
    for words in ("first", "second\n", "é" * (STDERR_BYTES // 2 - 50), "é" * 100, "last"):
        heard(words)
    (kept,) = log.iterdir()
    assert kept.name.endswith("program_--depth_3.txt")
    assert kept.read_text().startswith("first\nsecond\néé")
    assert kept.read_text().endswith("éé\nlast\n")
    assert kept.stat().st_size <= STDERR_BYTES


def test_a_program_is_seated_by_its_command(folder, four):
    player = make_player(resolve(f"cmd:{folder}/program", four), TERMS)
    assert isinstance(player, CommandBot)
