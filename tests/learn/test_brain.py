"""Brains as files, and `learned`, which plays by them."""

import json
import os

import pytest

import kibitz
from kibitz.games.ur.rules import Ur
from kibitz.learn import Brain

STEPS = Brain("ur", "tree", tuple(step**2 / 3 for step in range(16)), "self", 100, 7)


def test_a_brain_is_the_same_when_read_back(tmp_path):
    STEPS.write(tmp_path / "brain.json")
    read = Brain.read(tmp_path / "brain.json")
    assert read.weights == pytest.approx(STEPS.weights, rel=1e-4)
    assert (read.game, read.method, read.opponent, read.games, read.seed) == ("ur", "tree", "self", 100, 7)


def test_a_changed_file_is_read_again(tmp_path):
    path = tmp_path / "brain.json"
    STEPS.write(path)
    assert Brain.read(path).games == 100
    values = json.loads(path.read_text())
    path.write_text(json.dumps({**values, "games": 200, "opponent": "random"}))
    later = path.stat().st_mtime_ns + 10**9  # the clock of a file system may be too coarse to tell
    os.utime(path, ns=(later, later))
    assert Brain.read(path).games == 200


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"weights": 3}', '{"weights": [1], "colour": 2}'])
def test_a_file_that_is_not_a_brain_is_rejected(tmp_path, text):
    (tmp_path / "brain.json").write_text(text)
    with pytest.raises(kibitz.KibitzError, match="is not a brain"):
        kibitz.bot(f"learned:file={tmp_path}/brain.json", Ur())


def test_a_damaged_brain_is_rejected(tmp_path):
    (tmp_path / "brain.json").write_text('{"game": "ur", "method": "tree", "weights": [NaN]}')
    with pytest.raises(kibitz.KibitzError, match="a weight is not a number"):
        Brain.read(tmp_path / "brain.json")


def test_a_missing_brain_is_reported(tmp_path):
    with pytest.raises(kibitz.KibitzError, match="cannot be read: No such file"):
        kibitz.bot(f"learned:file={tmp_path}/none.json", Ur())


def test_a_brain_for_another_path_is_rejected():
    with pytest.raises(kibitz.KibitzError, match=r"has 16 weights, but ur:.*rosettes=16.* takes 18"):
        kibitz.bot("learned", Ur(rosettes=16))


def test_a_brain_plays_games_of_any_number_of_pieces(tmp_path):
    STEPS.write(tmp_path / "brain.json")
    for pieces in (1, 7):
        table = kibitz.Table(Ur(pieces=pieces), seed=1)
        bot = kibitz.bot(f"learned:file={tmp_path}/brain.json", table.game)
        assert bot.choose(table.view(table.turn)) in table.moves


def test_games_at_a_table_and_in_compiled_code_are_the_same(tmp_path):
    STEPS.write(tmp_path / "brain.json")
    specs = [f"learned:file={tmp_path}/brain.json", "learned"]
    compiled = kibitz.arena(Ur(pieces=2), specs, games=6, seed=3)
    with kibitz.plain():
        plain = kibitz.arena(Ur(pieces=2), specs, games=6, seed=3)
    assert plain.pair(0, 1) == compiled.pair(0, 1)
    assert plain.tally.decisions == compiled.tally.decisions
