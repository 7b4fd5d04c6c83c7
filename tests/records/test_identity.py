"""The identity of a tournament: a log is not continued with other bots, rules or settings."""

import json
import shutil

import pytest
from toys import HighCard

import kibitz
from kibitz import KibitzError, notices
from kibitz.records.identity import identity_of
from kibitz.records.log import Log
from kibitz.rules.registry import as_game
from kibitz.rules.source import sources_of

GAME = """
import kibitz
from tables import GOAL


@kibitz.game
class Count:
    players = 2
    actions = max_moves = 1
    max_plies = GOAL

    def fields(self):
        return [("turn", "i1"), ("count", "i1")]

    def start(self, s):
        s.turn = 0
        s.count = 0

    def moves(self, s, out):
        out[0] = 0
        return 1

    def play(self, s, move):
        s.count += 1
        s.turn = kibitz.OVER if s.count == GOAL else 1 - s.turn

    def payoff(self, s, out):
        out[0] = out[1] = 0.5
"""
FILES = {
    "count.py": GAME,
    "tables.py": "GOAL = 5\n",
    "bots.py": "import helpers.first\n\nclass First:\n    def choose(self, view):\n        return view.moves[0]\n",
    "helpers/__init__.py": "",
    "helpers/first.py": "from . import second\nfrom .deep.third import x\n",
    "helpers/second.py": "import json, unused_name\nfrom helpers import *\n",
    "helpers/deep/third.py": "from ..fourth import y\nx = 1\n",
    "helpers/fourth.py": "import kibitz\ny = 1\n",
    "beside.py": "",  # nobody imports it
}


@pytest.fixture
def place(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def play(place, bots=("random", "random"), **options):
    with kibitz.plain():
        return kibitz.arena(f"{place}/count.py:Count", list(bots), games=4, seed=1, log=place / "log", **options)


def identity(game, *bots):
    rules = as_game(game)
    return identity_of(rules, kibitz.players.roster.resolve_all(bots, rules))


def test_a_file_depends_on_what_it_imports_from_its_own_folder(place):
    (place / "kibitz").mkdir()
    (place / "kibitz" / "__init__.py").touch()  # whose version counts, not its files
    found = {str(path.relative_to(place)) for path in sources_of(place / "bots.py")}
    assert found == {"bots.py", *(name for name in FILES if name.startswith("helpers"))}


def test_a_file_that_cannot_be_parsed_depends_on_itself_only(place):
    (place / "bots.py").write_text("import helpers (")
    assert sources_of(place / "bots.py") == [place / "bots.py"]


def test_an_unchanged_tournament_is_resumed(place):
    play(place)
    (place / "beside.py").write_text("changed = True\n")
    assert play(place, resume=True).resumed == 4
    assert list(Log(place / "log").index["identity"]["files"]) == [f"{place}/count.py", f"{place}/tables.py"]


@pytest.mark.parametrize("name", ["count.py", "tables.py"])
def test_a_changed_file_is_named_and_the_log_left_as_it_was(place, name):
    play(place)
    (place / name).write_text(FILES[name] + "# edited\n")
    before = {path: path.read_bytes() for path in (place / "log").glob("[!.]*")}
    with pytest.raises(KibitzError, match=f"{name} has changed since the tournament in .* began; undo that"):
        play(place, resume=True)
    assert {path: path.read_bytes() for path in (place / "log").glob("[!.]*")} == before
    (place / name).write_text(FILES[name])
    assert play(place, resume=True).resumed == 4


def test_the_files_of_bots_count_adapters_and_options_included(place):
    (place / "brain").write_text("1")
    specs = f"{place}/bots.py:First", f"learned:file={place}/brain", "perfect"
    files = identity("ur:pieces=1", *specs)["files"]
    assert {f"{place}/bots.py", f"{place}/helpers/deep/third.py", f"{place}/brain"} < set(files)
    (place / "brain").write_text("2")
    changed = identity("ur:pieces=1", *specs)["files"]
    assert [name for name in files if files[name] != changed[name]] == [f"{place}/brain"]
    assert f"{place}/tables.py" in identity("camelup:rules=camelai", f"camelai:{place}/tables.py:Bot")["files"]


def edit(place, change):
    path = place / "log" / "tournament.json"
    index = json.loads(path.read_text())
    change(index)
    path.write_text(json.dumps(index))


def test_an_edited_index_is_not_continued(place):
    play(place)
    edit(place, lambda index: index["tournament"].update(seed=2))
    with pytest.raises(KibitzError, match=r"tournament\.json is not what it began with"), kibitz.plain():
        kibitz.arena(f"{place}/count.py:Count", ["random", "random"], games=4, log=place / "log", resume=True)


def test_another_version_of_kibitz_does_not_continue_a_log(place):
    play(place)
    edit(place, lambda index: index["versions"].update(kibitz="0.0.7"))
    with pytest.raises(KibitzError, match=r"began with kibitz 0\.0\.7, whose bots may play differently"):
        play(place, resume=True)


def test_rules_in_this_program_count_by_their_code(place, monkeypatch):
    log = {"games": 3, "seed": 1, "log": place / "log"}
    with kibitz.plain():
        kibitz.arena(HighCard(), ["random"], **log)
        assert kibitz.arena(HighCard(), ["random"], resume=True, **log).resumed == 3
        monkeypatch.setattr("kibitz.records.identity.is_local", lambda digest: True)  # as if it were other code
        with pytest.raises(KibitzError, match="The code of HighCard has changed since"):
            kibitz.arena(HighCard(), ["random"], resume=True, **log)
        edit(place, lambda index: index["versions"].update(python="2.7.18"))  # which has another digest for it
        assert kibitz.arena(HighCard(), ["random"], resume=True, **log).resumed == 3


def test_a_class_in_this_program_counts_by_its_text(place, monkeypatch):
    class Lazy:
        def choose(self, view):
            return view.moves[0]

    play(place, ["random", Lazy])
    assert play(place, ["random", Lazy], resume=True).resumed == 4
    monkeypatch.setattr("inspect.getsource", lambda cls: "class Lazy: ...")
    with pytest.raises(KibitzError, match="The class of Lazy has changed since"):
        play(place, ["random", Lazy], resume=True)


def test_a_log_of_an_earlier_version_is_continued_with_a_notice(place, monkeypatch):
    play(place)
    edit(place, lambda index: (index.pop("identity"), index.pop("commitment")))
    (place / "count.py").write_text(GAME + "# edited\n")
    told = []
    monkeypatch.setattr(notices, "listener", lambda notice, sentence: told.append(sentence))
    assert play(place, resume=True).resumed == 4
    assert [sentence for sentence in told if "is from an earlier version of kibitz" in sentence] == told[:1]


def test_a_log_can_be_continued_in_another_place(place):
    play(place)
    shutil.move(place / "log", place / "moved")
    with kibitz.plain():
        game = f"{place}/count.py:Count"
        again = kibitz.arena(game, ["random", "random"], games=4, seed=1, log=place / "moved", resume=True)
    assert again.resumed == 4
