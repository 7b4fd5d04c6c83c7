"""What a game can provide besides its rules, and each of these extras in use for a game in one file."""

import json
import re
from pathlib import Path

import pytest

import kibitz
from kibitz.cli import main
from kibitz.display.board import Board, board_of
from kibitz.errors import RulesError
from kibitz.players.levels import levels_of
from kibitz.records.export import export_csv
from kibitz.rules import extras
from kibitz.rules.extras import EXTRAS
from kibitz.rules.registry import find_game, game_names
from kibitz.solve import solve, values_of

DOCS = Path(__file__).parents[2] / "docs"

RULES = '''
"""Dash: run to the goal, a fair coin says how far."""

from dataclasses import dataclass

import kibitz
from kibitz.display.position_editor import PositionEditor
from kibitz.learn.features import Features
from kibitz.learn.learned import Learned
from kibitz.records.export import Layout
from kibitz.report.page import Section
from kibitz.solve.index import Index, Layer


@dataclass(frozen=True)
class Hasty(kibitz.Bot):
    """Always takes the last move."""

    def choose(self, view):
        return view.moves[-1]


@kibitz.game
class Dash:
    goal: int = 4

    players = 2
    actions = 2
    max_moves = 2
    max_outcomes = 2
    max_plies = property(lambda self: 8 * self.goal)

    def fields(self):
        return [("at", "i1", 2), ("turn", "i1"), ("mover", "i1"), ("throw", "i1")]

    def start(self, s):
        s.turn = kibitz.CHANCE

    def chances(self, s, out, p):
        for i in range(2):
            out[i] = i + 1
            p[i] = 0.5
        return 2

    def moves(self, s, out):
        out[0] = 0
        out[1] = 1
        return 2

    def play(self, s, move):
        if s.turn == kibitz.CHANCE:
            s.throw = move
            s.turn = s.mover
            return
        me = s.mover
        s.at[me] = min(s.at[me] + s.throw + (move if s.at[me] % 2 else 0), self.goal)
        s.throw = 0
        s.mover = 1 - me
        s.turn = kibitz.OVER if s.at[me] == self.goal else kibitz.CHANCE

    def payoff(self, s, out):
        for player in range(2):
            out[player] = 1.0 if s.at[player] == self.goal else 0.0

    def score(self, s, out):
        for player in range(2):
            out[player] = s.at[player]
'''

EXTRA_PARTS = '''

class Board(kibitz.Board):
    seats = ("Hare", "Tortoise")

    def name(self, game, s, move):
        return ("walk", "jump")[move] if s.turn >= 0 else f"throw {move}"


BOTS = {"hasty": Hasty, "best": "hasty", "learned": Learned}
LEVELS = {"casual": ("hasty", "Jumps whenever it can.")}


def report_sections(game, log):
    return [Section("Dashes", f"<p>{len(log.finished())} dashes to {game.goal}.</p>")]


class Short(Layout):
    def columns(self, game, merged):
        return ("game", "plies", "goal")

    def rows(self, number, record, game, merged):
        yield number, len(record.moves), game.goal


LAYOUTS = {"short": Short()}
NETWORK = "dash.npz"
PUZZLES = "puzzles.json"
CHANCE_SCALE = 2.0


@dataclass(init=False, eq=False)
class Squares(Features):
    """How far ahead each side is."""

    def size(self, game):
        return 2

    def most(self, game):
        return 2

    def viewer(self, game, s):
        return s.mover

    def describe(self, game, s, places, amounts):
        places[0] = 0
        amounts[0] = s.at[s.mover]
        places[1] = 1
        amounts[1] = s.at[1 - s.mover]
        return 2


FEATURES = {"td": Squares()}


def symmetries(game):
    return []


@dataclass(init=False, eq=False)
class Grid(Index):
    def __init__(self, game):
        self.goal = game.goal

    @property
    def name(self):
        return f"dash-{self.goal}"

    def layers(self):
        return [Layer(((0, self.goal * self.goal),))]

    def holds(self, state):
        return True

    def tables(self):
        return ()

    def number(self, game, step, row, tables):
        s = step.states[row]
        return 2 * (s.at[s.mover] * game.goal + s.at[1 - s.mover]) + s.mover

    def write(self, game, number, step, tables):
        s = step.states[0]
        s.at[0] = number // game.goal
        s.at[1] = number % game.goal
        s.mover = 0
        s.throw = 0
        s.turn = kibitz.CHANCE

    def twin(self, game, number, step, tables):
        return number


def position_index(game):
    return Grid(game)


class Odds:
    def __init__(self, ahead):
        self.ahead = ahead

    def document(self):
        return {"ahead": self.ahead}

    def screen(self):
        return f"ahead: {self.ahead}"


def forecast(game, state, samples=0):
    return Odds(int(state.at[0] >= state.at[1]))


def position_error(game, s):
    return None if max(s.at) <= game.goal else "Nobody can be beyond the goal."


class Editor(PositionEditor):
    items = ("Stone",)
'''


def as_class_attributes(text):
    """The same file with every extra as an attribute or a method of the class of rules."""
    head, parts = RULES, text
    constants = "bots", "levels", "layouts", "features", "network", "puzzles", "chance_scale"
    names = {"Board": "board", "Editor": "editor", **{name.upper(): name for name in constants}}
    attributes = "".join(f"    {attribute} = _{name}\n" for name, attribute in names.items())
    functions = "report_sections", "symmetries", "position_index", "forecast", "position_error"
    attributes += "".join(f"    {name} = _{name}\n" for name in functions)
    for name in (*names, *functions):
        parts = re.sub(rf"^(class |def )?{name}\b", rf"\1_{name}", parts, flags=re.M)
    rules_at = head.index("@kibitz.game")
    rules = head[rules_at:].replace("    goal: int = 4\n", f"    goal: int = 4\n\n{attributes}")
    return head[:rules_at] + parts + "\n\n" + rules


@pytest.fixture(scope="module", params=["module", "class"])
def spec(request, tmp_path_factory):
    """A game in one file with every extra: in its module, or on its class."""
    path = tmp_path_factory.mktemp(request.param) / f"dash_by_{request.param}.py"
    path.write_text(RULES + EXTRA_PARTS if request.param == "module" else as_class_attributes(EXTRA_PARTS))
    return f"{path}:Dash"


@pytest.fixture(scope="module")
def log(spec, tmp_path_factory):
    folder = tmp_path_factory.mktemp("log") / "dashes"
    kibitz.arena(spec, ["best", "random"], games=4, seed=1, log=folder, workers=1)
    return folder


def run(capsys, *words):
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    out = capsys.readouterr().out
    assert ended.value.code == 0
    return out


def test_every_extra_is_found(spec):
    game = find_game(spec)
    assert all(game.extra(name) is not None for name in EXTRAS)


def test_the_board_names_moves_and_seats(spec):
    table = kibitz.Table(spec, seed=1)
    assert [table.name(move) for move in table.moves] == ["walk", "jump"]
    assert table.board.seat(1) == "Tortoise"


def test_the_bots_are_found_by_name(spec):
    table = kibitz.Table(spec, seed=1)
    assert kibitz.bot("best", table.game).choose(table.view(table.turn)) == 1


def test_the_levels_replace_the_defaults(spec):
    levels = {level.key: level for level in levels_of(find_game(spec))}
    assert (levels["casual"].spec, levels["casual"].words) == ("hasty", "Jumps whenever it can.")
    assert levels["beginner"].spec == "random"


def test_the_report_has_the_games_own_sections(spec, log, capsys, tmp_path):
    run(capsys, "report", log, "--out", tmp_path / "report.html")
    assert "4 dashes to 4." in (tmp_path / "report.html").read_text()


def test_the_layouts_are_used_for_exports(log, tmp_path):
    path = export_csv(log, tmp_path / "dashes.csv", merged=True, layout="short")
    head, *rows = path.read_text().splitlines()
    assert head == "game,plies,goal"
    assert [row.split(",")[::2] for row in rows] == [[str(number), "4"] for number in range(4)]


@pytest.mark.slow
def test_the_features_are_used_for_learning(spec, capsys, tmp_path):
    run(capsys, "train", spec, "--method", "td", "--games", 50, "--out", tmp_path / "brain.json")
    game = find_game(spec)
    table = kibitz.Table(game, seed=1)
    bot = kibitz.bot(f"learned:file={tmp_path / 'brain.json'}", game)
    assert bot.choose(table.view(table.turn)) in table.moves


def test_the_position_index_is_used_for_solving(spec, tmp_path, monkeypatch):
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path))
    game = find_game(spec)
    solved = solve(game, out=tmp_path / "dash.table")
    assert solved.label.index == "dash-4"
    values = values_of(game, str(tmp_path / "dash.table"))
    assert values.value(kibitz.Table(game, deal=False).state) == pytest.approx(solved.label.value, abs=1e-6)


def test_the_forecast_is_used_for_odds(spec, capsys):
    assert json.loads(run(capsys, "odds", spec, "--seed", 1, "--json")) == {"ahead": 1}


# ------------------------------------------------------------------ the convention


@kibitz.game
class Plain:
    players = actions = max_moves = max_plies = 1

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


def test_a_game_without_extras_has_none_and_everything_has_a_default():
    """Although this module imports a Board: an imported class is not the game's own."""
    assert all(Plain().extra(name) is None for name in EXTRAS)
    assert type(board_of(Plain())) is Board
    assert [level.key for level in levels_of(Plain())] == ["beginner", "casual", "strong", "best"]


def test_an_attribute_takes_precedence_over_a_name_in_the_module(monkeypatch):
    monkeypatch.setitem(globals(), "BOTS", {"in_module": "random"})
    assert set(Plain().extra_mapping("bots")) == {"in_module"}
    monkeypatch.setattr(Plain, "bots", {"on_class": "random"}, raising=False)
    assert set(Plain().extra_mapping("bots")) == {"on_class"}


def test_a_mapping_may_be_a_function_of_the_game(monkeypatch):
    monkeypatch.setattr(Plain, "bots", lambda self: {f"for_{self.players}": "random"}, raising=False)
    assert set(Plain().extra_mapping("bots")) == {"for_1"}


def test_an_extra_that_should_be_a_mapping_but_is_not_is_refused_by_name(monkeypatch):
    monkeypatch.setitem(globals(), "BOTS", "a text")
    with pytest.raises(RulesError, match=r"Plain: bots \(or BOTS\) must be a mapping, not str"):
        kibitz.bot("random", Plain())


def test_extras_do_not_affect_the_identity_of_rules(monkeypatch):
    """Machine code stays valid when the drawing of a game changes."""
    before = Plain()._numba_type_.content
    monkeypatch.setattr(Plain, "forecast", lambda self, state, samples: None, raising=False)
    assert Plain()._numba_type_.content == before


def test_the_documented_table_of_extras_is_correct():
    listed = re.findall(r"^\| .+ \| `(\w+)` \| `(\w+)` \| `(\w+)\.py` \|$", extras.__doc__, re.M)
    assert {attribute: (name, module) for attribute, name, module in listed} == EXTRAS
    assert extras.__doc__.partition("| extra")[2].partition("\n\n")[0] in (DOCS / "add-a-game.md").read_text()


@pytest.mark.parametrize("name", game_names())
def test_shipped_games_have_a_board_and_bots(name):
    game = find_game(name)
    assert issubclass(game.extra("board"), Board)
    assert "best" in game.extra_mapping("bots")
