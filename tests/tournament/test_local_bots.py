"""Bots typed into a notebook: classes and instances, which play in this process."""

from dataclasses import dataclass

import pytest
from toys import Nim

import kibitz
from kibitz import KibitzError
from kibitz.players.isolation import IsolatedBot
from kibitz.report.report import write_report
from kibitz.search.playout import Random
from kibitz.search.uct import UCT

SMALL = "connect_four:columns=4,rows=4"


class First:
    def choose(self, view):
        return view.names[0]


class Last:
    def choose(self, view):
        return view.moves[-1]


@dataclass
class Counts:
    """Plays by how often it has been asked before."""

    asked: int = 0

    def choose(self, view):
        self.asked += 1
        return view.moves[0] if self.asked < 3 else view.moves[-1]


class Learns:
    learns = True

    def __init__(self):
        self.games = 0

    def choose(self, view):
        return view.moves[0]

    def game_over(self, view, payoff):
        self.games += 1


def played(bots, game=SMALL, **options):
    with kibitz.plain():
        return kibitz.arena(game, bots, **{"games": 4, "seed": 1, **options})


def bots_of(result):
    return {standing.bot for standing in result.ranking}


def test_classes_and_instances_play_beside_specs():
    result = played([First, Last(), "random"], games=6)
    assert bots_of(result) == {"First", "Last", "random"}
    assert not any(standing.faults for standing in result.ranking)


def test_a_class_plays_the_same_games_as_its_file(tmp_path):
    (tmp_path / "first.py").write_text("class First:\n    def choose(self, view):\n        return view.moves[0]\n")
    first = f"{tmp_path}/first.py:First"
    here, there = (played([bot, "random"], workers=1, secret="7" * 32) for bot in (First, first))
    assert [s.share for s in here.ranking] == [s.share for s in there.ranking]
    assert here.tally.lengths == there.tally.lengths


def test_the_result_says_that_they_had_no_time_limit():
    result = played([First, "random"])
    assert "First runs in this process, without a time limit." in str(result)
    assert result.summary()["local_bots"] == ["First"]
    assert "in this process" not in str(played(["random"]))


def test_every_game_begins_with_a_copy_of_the_instance():
    given = Counts()
    result = played([given, "random"], games=4)
    assert given.asked == 0
    assert result.tally.lengths == played([Counts, "random"], games=4).tally.lengths


def test_a_bot_that_learns_is_not_copied():
    given = Learns()
    played([given, "random"], games=4)
    assert given.games == 4


def test_an_instance_that_cannot_be_copied_is_refused():
    class Holds(First):
        def __init__(self):
            self.generator = (number for number in range(3))

    with pytest.raises(KibitzError, match=r"Holds cannot be copied for every game .* give its class instead"):
        played([Holds(), "random"])


def test_different_bots_have_different_names():
    other = type("First", (Last,), {})
    assert bots_of(played([First, other, "random"], games=6)) == {"First", "First (2)", "random"}
    assert bots_of(played([First, First], games=2)) == {"First", "First #2"}
    assert bots_of(played([Counts(asked=1), Counts()], games=2)) == {"Counts(asked=1)", "Counts"}


def test_a_bot_that_ships_with_kibitz_is_the_same_as_its_spec():
    result = played([UCT(sims=5), Random], games=2)
    assert result.specs == ("uct:sims=5", "random")
    assert result.local_bots == ()
    assert result.tally.lengths == played(["uct:sims=5", "random"], games=2).tally.lengths


@pytest.mark.parametrize("options", [{"workers": 2}, {"engine": "processes"}])
def test_workers_cannot_find_them(options):
    with pytest.raises(KibitzError, match="Workers cannot find the bot First; use one worker, or name the bot"):
        played([First, "random"], **options)


def test_no_process_is_started_for_them(monkeypatch):
    monkeypatch.setattr(IsolatedBot, "__init__", None)
    assert played([First, Last], engine="threads", workers=2).played == 4
    assert played([First, Last], game=Nim, games=2).played == 2


def test_a_tournament_is_resumed_with_the_bot_of_the_same_name(tmp_path):
    def stop(result):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kibitz.tournament.tournament.SHOW_SECONDS", 0)
        begun = played([First, "random"], games=12, log=tmp_path / "log", progress=stop)
    assert begun.interrupted
    resumed = played([First, "random"], games=12, seed=None, log=tmp_path / "log", resume=True)
    assert (resumed.played, resumed.resumed, resumed.seed) == (12, begun.played, 1)
    assert resumed.tally.lengths == played([First, "random"], games=12).tally.lengths
    with pytest.raises(KibitzError, match="belongs to another tournament"):
        played([Last, "random"], games=12, log=tmp_path / "log", resume=True)
    page = write_report(tmp_path / "log").read_text()
    assert "in a program that defines First" in page
    assert "[First, &#x27;random&#x27;]" in page


@pytest.mark.parametrize("what", [3, None, object(), dict, Nim])
def test_what_is_no_bot_is_refused(what):
    with pytest.raises(KibitzError, match=r"is not a bot; give a spec .* a class with a method choose\(self, view\)"):
        played([what, "random"])


def test_a_class_that_needs_arguments_is_refused():
    class Needs(First):
        def __init__(self, depth):
            self.depth = depth

    with pytest.raises(
        KibitzError, match=r"Needs: .*missing 1 required positional argument: 'depth'; its options are the arg"
    ):
        played([Needs, "random"])


def test_a_lone_bot_is_told_that_a_list_is_needed():
    for bots in ("random", First, 3):
        with pytest.raises(KibitzError, match="A tournament needs a list of bots"):
            played(bots)


def test_several_bots_of_this_program_are_listed_as_in_a_sentence():
    assert "First and Counts run in this process" in str(played([First, Counts]))


def test_every_bot_at_fault_has_its_message():
    def faulty(name):
        return type(name, (), {"choose": lambda self, view: name})

    text = str(played([First, *(faulty(name) for name in ("Ann", "Bob", "Cid", "Dan"))], games=20))
    for name in ("Ann", "Bob", "Cid", "Dan"):
        assert f"× {name} played an illegal move: '{name}'." in text


@pytest.mark.parametrize("value", ["2", -1, 0, float("nan"), None])
def test_an_impossible_limit_of_bots_is_refused_whoever_plays(value):
    with pytest.raises(KibitzError, match=f"A time limit must be more than 0 seconds and at most a day, not {value!r}"):
        played([First], move_time=value)
    with pytest.raises(KibitzError, match=f"GB of memory, not {value!r}"):
        played([First], bot_memory=value)
