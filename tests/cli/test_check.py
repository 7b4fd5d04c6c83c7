"""`kibitz check`: the report, its findings, and the exit code."""

import json

import pytest
import toys
from programs import write_program

from kibitz.compiler.modes import ModeFlags

NIM = f"{toys.__file__}:Nim:heap=5"

UNFAIR = """
import kibitz

@kibitz.game
class Unfair:
    players = 2
    actions = 2
    max_moves = 2
    max_plies = 4

    def fields(self):
        return [("ply", "i1"), ("turn", "i1")]

    def start(self, s):
        s.ply = 0

    def moves(self, s, out):
        out[0] = 0
        out[1] = 1
        return 2

    def play(self, s, move):
        s.ply += 1
        s.turn = 1 - s.turn if s.ply < 4 else kibitz.OVER

    def payoff(self, s, out):
        out[0] = 1.0
        out[1] = 0.0
"""


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    monkeypatch.setattr(ModeFlags, "plain", True)


@pytest.fixture
def unfair(tmp_path):
    path = tmp_path / "unfair.py"
    path.write_text(UNFAIR)
    return f"{path}:Unfair"


def test_a_sound_game_is_reported_with_counts(run):
    outcome = run("check connect_four:columns=4,rows=3 --games 3 --strict")
    assert outcome.code == 0
    assert "✓ connect_four:columns=4,rows=3 fulfils the contract." in outcome.out
    assert "3  random games" in outcome.out


def test_findings_are_listed_and_only_strict_makes_them_an_error(run, unfair):
    outcome = run("check", unfair)
    assert outcome.code == 0
    assert "fulfils the contract, but:" in outcome.out
    assert "payoff: player 0 won all 200 games." in " ".join(outcome.out.split())
    assert run("check --strict", unfair).code == 1


def test_the_report_as_json(run, unfair):
    document = json.loads(run("check --json --games 60", unfair).out)
    assert document["games"] == 60
    assert document["findings"][0]["method"] == "payoff"
    assert "player 0 won all 60 games" in document["findings"][0]["sentence"]


def test_a_broken_promise_is_an_error(run, tmp_path):
    path = tmp_path / "broken.py"
    path.write_text(UNFAIR.replace("out[1] = 0.0", "out[1] = 1.0"))
    outcome = run("check", f"{path}:Unfair")
    assert outcome.code == 2
    assert "Unfair.payoff: the shares [1.0, 1.0] do not sum to 1." in outcome.err


def test_a_program_is_checked_by_letting_it_play(run, tmp_path):
    spec = write_program(tmp_path)
    outcome = run("check", spec, "--game", NIM)
    assert outcome.code == 0
    assert f"✓ {spec} (first) played 4 games of {NIM} without a problem." in " ".join(outcome.out.split())
    assert "moves, the slowest in" in outcome.out


def test_what_a_program_does_wrong_is_shown_with_what_was_sent_and_received(run, tmp_path):
    spec = write_program(tmp_path, move='echo "let me think"')
    outcome = run("check", spec, "--game", NIM)
    assert outcome.code == 1
    words = " ".join(outcome.out.split())
    assert "'let me think' is not a JSON object. Only answers belong on stdout" in words
    assert 'sent: {"type":"move","id":3,' in words
    assert "received: let me think" in words


def test_the_check_of_a_program_as_json(run, tmp_path):
    document = json.loads(run("check --json", write_program(tmp_path, result="exit 1"), "--game", NIM).out)
    assert document["name"] == "first"
    assert "exited with code 1" in document["problems"][0]["sentence"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["cmd:./nowhere"], "There is no program './nowhere' that can be run"),
        (["cmd:'x"], "is not a valid command line: no closing quotation"),
        (["connect_four", "--game", "ur"], "--game and --move-time are for programs"),
        (["cmd:true", "--game", "chess"], "There is no game 'chess'"),
    ],
)
def test_a_check_that_cannot_begin_is_refused_with_a_sentence(run, arguments, sentence):
    outcome = run("check", *arguments)
    assert outcome.code == 2
    assert sentence in outcome.err
