"""Games and bots listed, checked, measured and entered into the arena."""

import json
from pathlib import Path

from kibitz.cli import speed as benchmarks

ROOT = Path(__file__).parent.parent.parent
TOYS = ROOT / "tests" / "toys.py"


def test_games_are_listed_with_their_variants(run):
    out = run("games").out
    assert "connect_four" in out
    assert "columns=7, rows=6" in out


def test_games_as_json_have_their_facts(run):
    games = {row["game"]: row for row in json.loads(run("games --json").out)["games"]}
    four = games["connect_four"]
    assert (four["players"], four["chance"], four["hidden"]) == (2, False, False)
    assert four["variants"] == {"columns": 7, "rows": 6}
    assert four["about"].startswith("Connect Four: ")
    assert games["camelup"]["variants"]["rules"] == "official"


def test_bots_are_listed_with_their_options(run):
    out = run("bots connect_four").out
    assert "Plays any legal move" in out
    assert "best" in out
    bots = {row["bot"]: row for row in json.loads(run("bots connect_four --json").out)["bots"]}
    assert bots["uct"]["options"]["c"] == 0.7


def test_the_default_budget_of_a_bot_is_listed(run):
    out = run("bots connect_four").out
    assert "sims=1000 unless ms is given, c=0.7" in out
    assert "nodes=100000 unless depth or ms is given" in out
    assert "shared=no" in out
    bots = {row["bot"]: row for row in json.loads(run("bots connect_four --json").out)["bots"]}
    assert bots["uct"]["options"]["sims"] == 1000


def test_only_bots_that_fit_are_listed(run):
    bots = [row["bot"] for row in json.loads(run(f"bots {TOYS}:HighCard --json").out)["bots"]]
    assert "mc" in bots
    assert "uct" not in bots


def test_a_game_that_fulfils_the_contract_passes_the_check(run):
    outcome = run(f"check {TOYS}:Nim --games 20")
    assert outcome.code == 0
    assert "fulfils the contract" in outcome.out
    assert "20  random games" in outcome.out


def test_a_game_that_violates_the_contract_fails_the_check(run, tmp_path):
    path = tmp_path / "greedy_nim.py"
    rules = TOYS.read_text().replace("out[1 - s.winner] = 0.0", "out[1 - s.winner] = 1.0")
    path.write_text(rules)
    outcome = run(f"check {path}:Nim --games 20")
    assert outcome.code == 2
    assert "Nim.payoff" in outcome.err


def test_the_arena_prints_standings_and_seats(run):
    out = run("arena connect_four random random --games 10").out
    assert "random #2" in out
    assert "95 % interval" in out
    assert "Yellow" in out
    assert "10 games in" in out


def test_your_own_game_and_bot_can_enter_the_arena(run):
    game, bot = ROOT / "examples" / "chomp.py", ROOT / "examples" / "middle_bot.py"
    document = json.loads(run(f"arena {game}:Chomp {bot}:MiddleBot random --games 6 --json").out)
    assert document["game"].endswith("chomp.py:Chomp")
    assert document["games"] == 6
    assert {standing["faults"] for standing in document["standings"]} == {0}


def test_measurements_are_printed_as_a_table_or_as_json(run, monkeypatch):
    measured = [
        {"game": "ConnectFour", "what": "uct", "unit": "simulations/s", "kibitz": 1.2e6, "peer": "OpenSpiel (C++)"}
        | {"peer_value": 8e4, "ratio": 15.0},
        {"game": "ConnectFour", "what": "table", "unit": "moves/s", "kibitz": 950.0, "peer": None}
        | {"peer_value": None, "ratio": None},
    ]
    monkeypatch.setattr(benchmarks, "rows", lambda: iter(measured))
    out = run("bench").out
    assert "1.2 million" in out
    assert "15.0 ×" in out
    assert json.loads(run("bench --json").out) == {"rows": measured}
