"""`kibitz check`: the report, its findings, and the exit code."""

import json

import pytest

from kibitz.compiler.modes import ModeFlags

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
