"""`kibitz puzzles` finds puzzles in games that bots play, or in a log."""

import toys

import kibitz
from kibitz.analysis.puzzles import read_puzzles

NIM = f"{toys.__file__}:Nim:heap=9"
SEARCHES = "--scan alphabeta:depth=1 --check alphabeta:depth=9 --gap 0.5"


def test_puzzles_are_found_in_games_and_written_with_their_command(run, tmp_path):
    file = tmp_path / "puzzles.json"
    outcome = run(f"puzzles {NIM} --player random {SEARCHES} --games 20 --most 4 --seed 1 --out {file}")
    assert outcome.out.startswith("4 puzzles written to ")
    assert len(read_puzzles(file)) == 4
    assert f"kibitz puzzles {NIM} --player random {SEARCHES} --games 20 --most 4 --seed 1" in file.read_text()


def test_puzzles_are_found_in_a_log(run, tmp_path):
    kibitz.arena(NIM, ["random", "random"], games=6, seed=1, log=tmp_path / "log")
    outcome = run(f"puzzles {NIM} --log {tmp_path / 'log'} {SEARCHES} --most 2 --out {tmp_path / 'puzzles.json'}")
    assert outcome.out.startswith("2 puzzles written to ")
    refused = run(f"puzzles connect_four --log {tmp_path / 'log'} --out {tmp_path / 'other.json'}")
    assert (refused.code, "not of connect_four" in refused.err) == (2, True)


def test_where_there_is_none_it_says_what_helps(run, tmp_path):
    outcome = run(f"puzzles {NIM} --player random {SEARCHES.replace('0.5', '1')} --games 1 --out {tmp_path / 'p.json'}")
    assert outcome.code == 2
    assert "look at more --games, or ask for a smaller --gap" in outcome.err
