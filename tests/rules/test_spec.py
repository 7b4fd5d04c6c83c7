"""Specs of games and bots: parsed, converted, refused with a sentence; classes from files."""

import json
import os
import sys
import textwrap

import pytest

import kibitz
from kibitz.errors import SpecError
from kibitz.rules.registry import spec_of
from kibitz.rules.spec import converted, load_class, parse_spec, unknown


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("uct", "uct", {}),
        (" uct:sims=1000 , c=1.4 ", "uct", {"sims": "1000", "c": "1.4"}),
        ("path/to/file.py:MyBot", "path/to/file.py:MyBot", {}),
        ("path/to/file.py:MyBot:sims=5,x=y", "path/to/file.py:MyBot", {"sims": "5", "x": "y"}),
        ("mc:by=(policy:net=x,temperature=1),sims=5", "mc", {"by": "policy:net=x,temperature=1", "sims": "5"}),
        ("a:b=(c:d=(e:f=1,g=2),h=3)", "a", {"b": "c:d=(e:f=1,g=2),h=3"}),
        ("policy:net=run(2).npz", "policy", {"net": "run(2).npz"}),
        ("C:/games/file.py:MyGame:side=3", "C:/games/file.py:MyGame", {"side": "3"}),
    ],
)
def test_a_spec_is_a_name_and_options(text, name, options):
    spec = parse_spec(text)
    assert (spec.name, dict(spec.options)) == (name, options)


@pytest.mark.parametrize(
    "text", ["", "  ", ":", "uct:", ":sims=3", "uct:1000", "uct:sims", "uct:sims=", "uct:=3", "uct:a=1,"]
)
def test_anything_else_is_not_a_spec(text):
    with pytest.raises(SpecError, match=r"is not (a valid spec|of the form key=value)"):
        parse_spec(text)


@pytest.mark.parametrize("text", ["mc:by=(policy", "mc:by=policy)", "mc:by=)policy(", "mc:by=(a:b=1,sims=5"])
def test_parentheses_must_match(text):
    with pytest.raises(SpecError, match=r"The parentheses in .* do not match"):
        parse_spec(text)


def test_an_option_given_twice_is_refused():
    with pytest.raises(SpecError, match="sims is given twice"):
        parse_spec("uct:sims=1,sims=2")


def test_a_file_spec_knows_its_file_and_class():
    path, name = parse_spec("games/my.py:Mine:side=2").file
    assert (str(path), name) == ("games/my.py", "Mine")
    assert parse_spec("uct:sims=2").file is None


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("cmd:./bot", ("./bot",)),
        (" cmd:./bot --depth 3 ", ("./bot", "--depth", "3")),
        ("cmd:python3 bot.py:Mine a=b,c=d", ("python3", "bot.py:Mine", "a=b,c=d")),
        ("cmd:'my bot' \"two words\" \\'", ("my bot", "two words", "'")),
    ],
)
def test_everything_after_cmd_is_a_command_line(text, command):
    spec = parse_spec(text)
    assert spec.command == command
    assert (spec.name, spec.options, spec.file, spec.adapter) == (text.strip(), {}, None, "")


@pytest.mark.parametrize(
    ("text", "words"),
    [("cmd:", "names no program"), ("cmd: ''", "names no program"), ("cmd:'x", "no closing quotation")],
)
def test_a_command_line_names_a_program(text, words):
    with pytest.raises(SpecError, match=words):
        parse_spec(text)


DEFAULTS = {"sims": 100, "c": 1.4, "quick": False, "style": "bold"}


def test_options_take_the_type_of_their_defaults():
    found = converted({"sims": "5", "c": "2", "quick": "Yes", "style": "shy"}, DEFAULTS, "uct")
    assert found == {"sims": 5, "c": 2.0, "quick": True, "style": "shy"}
    assert [type(value) for value in found.values()] == [int, float, bool, str]


@pytest.mark.parametrize("text", ["no", "off", "0", "False"])
def test_no_means_false(text):
    assert converted({"quick": text}, DEFAULTS, "uct") == {"quick": False}


@pytest.mark.parametrize(
    ("key", "text", "wanted"),
    [
        ("sims", "many", "a whole number"),
        ("sims", "1.5", "a whole number"),
        ("c", "x", "a number"),
        ("c", "nan", "a number"),
        ("quick", "maybe", "yes or no"),
    ],
)
def test_a_value_of_another_type_is_refused(key, text, wanted):
    with pytest.raises(SpecError, match=f"uct: {key} must be {wanted}, not '{text}'"):
        converted({key: text}, DEFAULTS, "uct")


def test_an_unknown_option_is_refused_with_the_known_ones():
    with pytest.raises(SpecError, match="uct has no option 'simz'; it has sims, c, quick, style"):
        converted({"simz": "1"}, DEFAULTS, "uct")
    with pytest.raises(SpecError, match="it has none"):
        converted({"simz": "1"}, {}, "random")


def test_an_unknown_name_is_answered_with_the_closest_one_or_all():
    assert str(unknown("game", "conect_four", ["ur", "connect_four"])).endswith("Did you mean connect_four?")
    assert str(unknown("game", "chess", ["ur", "connect_four"])).endswith("Available: connect_four, ur.")


# ------------------------------------------------------------------ games


def test_a_game_is_found_by_its_spec_and_knows_it():
    game = kibitz.game("connect_four:columns=5")
    assert (game.columns, game.rows) == (5, 6)
    assert spec_of(game) == "connect_four:columns=5"
    assert spec_of(kibitz.game("connect_four:columns=7")) == "connect_four"
    assert kibitz.game(spec_of(game)) == game
    assert kibitz.game("connect_four", columns=5) == game


@pytest.mark.parametrize(
    "spec", ["chess", "connect_four:colums=5", "connect_four:columns=x", "connect_four:columns=90"]
)
def test_a_game_that_does_not_exist_is_refused(spec):
    with pytest.raises(SpecError):
        kibitz.game(spec)


def test_an_unknown_keyword_is_refused():
    with pytest.raises(SpecError, match="no option 'colums'; it has columns, rows"):
        kibitz.game("connect_four", colums=5)


# ------------------------------------------------------------------ files


def write(path, text):
    path.write_text(textwrap.dedent(text))
    return path


def test_a_class_is_loaded_from_a_file_that_imports_its_neighbours(tmp_path):
    write(tmp_path / "spec_neighbour.py", "ANSWER = 42")
    file = write(tmp_path / "spec_main.py", "import spec_neighbour\nclass Bot:\n    answer = spec_neighbour.ANSWER")
    assert load_class(file, "Bot").answer == 42
    assert load_class(file, "Bot") is load_class(file, "Bot")


def test_an_edited_file_is_loaded_again(tmp_path):
    file = write(tmp_path / "spec_edited.py", "class Bot: answer = 1")
    first = load_class(file, "Bot")
    write(file, "class Bot: answer = 22")
    os.utime(file, ns=(1, 1))
    assert load_class(file, "Bot").answer == 22
    assert first.answer == 1


def test_a_file_never_replaces_a_module(tmp_path):
    file = write(tmp_path / "json.py", "class Bot: pass")
    assert load_class(file, "Bot").__module__ == "json_"
    assert sys.modules["json"] is json


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(SpecError, match="There is no file"):
        load_class(tmp_path / "nothing.py", "Bot")


def test_a_missing_class_is_answered_with_the_existing_ones(tmp_path):
    file = write(tmp_path / "spec_classes.py", "class MyBot: pass\nvalue = 3")
    with pytest.raises(SpecError, match="Did you mean MyBot"):
        load_class(file, "MyBott")
    with pytest.raises(SpecError, match="no class in"):
        load_class(file, "value")


def test_a_file_with_a_mistake_is_refused_with_its_line(tmp_path):
    with pytest.raises(SpecError, match=r"^spec_broken\.py line 2: invalid syntax\.\n    y = = 2$"):
        load_class(write(tmp_path / "spec_broken.py", "x = 1\ny = = 2\n"), "Bot")
    with pytest.raises(SpecError, match=r"^spec_raising\.py line 1: ZeroDivisionError: .*\n    1 / 0$"):
        load_class(write(tmp_path / "spec_raising.py", "1 / 0"), "Bot")
    rules = write(tmp_path / "spec_rules.py", "import kibitz\n@kibitz.game\nclass Empty: ...\n")
    with pytest.raises(SpecError, match=r"^spec_rules\.py: Empty has no method fields\(self\); add it\.$"):
        load_class(rules, "Empty")


def test_a_file_without_a_class_is_answered_with_the_correct_form():
    with pytest.raises(
        SpecError, match=r"'my/rules\.py' is a file; add the name of the class, as in my/rules\.py:MyClass"
    ):
        parse_spec("my/rules.py")


GAME_IN_A_FILE = """
    import kibitz

    @kibitz.game
    class Pick:
        side: int = 3
        players = 2
        actions = 1
        max_moves = 1
        max_plies = 1

        def fields(self):
            return [("turn", "i1")]

        def start(self, s):
            pass

        def moves(self, s, out):
            out[0] = 0
            return 1

        def play(self, s, move):
            s.turn = kibitz.OVER

        def payoff(self, s, out):
            out[0] = 1.0
            out[1] = 0.0

    class NoGame:
        pass
"""


def test_a_game_in_a_file_is_found_by_its_path(tmp_path):
    file = write(tmp_path / "spec_game.py", GAME_IN_A_FILE)
    game = kibitz.game(f"{file}:Pick:side=4")
    assert game.side == 4
    assert spec_of(game) == f"{file}:Pick:side=4"
    with pytest.raises(SpecError, match=r"is not a game; put @kibitz\.game above the class"):
        kibitz.game(f"{file}:NoGame")


def test_a_constant_of_a_game_can_become_an_option(tmp_path):
    file = write(tmp_path / "spec_constant.py", GAME_IN_A_FILE)
    with pytest.raises(
        SpecError, match="max_moves is a constant of Pick; to make it an option, write max_moves: int = …"
    ):
        kibitz.game(f"{file}:Pick:max_moves=2")


def test_a_file_without_its_ending_is_recognized(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("")
    with pytest.raises(SpecError, match=r"'mine:Mine' lacks the ending of the file; write mine\.py:Mine\."):
        parse_spec("mine:Mine")
