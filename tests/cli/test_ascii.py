"""Terminals that know only ASCII."""

import json
import os
import subprocess
import sys

import pytest

import kibitz
from kibitz.cli.ascii import similar


def in_ascii(*arguments, typed=""):
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "kibitz", *arguments]
    return subprocess.run(command, input=typed.encode(), capture_output=True, env=environment)


@pytest.mark.parametrize("arguments", [["--help"], ["games"], ["play", "connect_four", "--vs", "random"]])
def test_a_command_works_where_only_ascii_can_be_shown(arguments):
    done = in_ascii(*arguments, typed="4\nquit\n")
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert b"?" not in done.stdout


def test_an_error_is_a_sentence_where_only_ascii_can_be_shown():
    done = in_ascii("play", "connect_four:columns=99")
    assert done.returncode == 2
    assert done.stderr == b"kibitz: Connect Four needs columns x (rows + 1) between 2 and 62.\n"


def test_a_json_document_loses_nothing_where_only_ascii_can_be_shown(tmp_path):
    source = "import kibitz\nfrom kibitz.games.connect_four.rules import ConnectFour\n"
    (tmp_path / "spiel.py").write_text(source + "class Größe(ConnectFour): pass\n", encoding="utf-8")
    done = in_ascii("bots", f"{tmp_path}/spiel.py:Größe", "--json")
    assert json.loads(done.stdout)["game"].endswith("spiel.py:Größe")


@pytest.mark.parametrize("game", kibitz.game_names())
def test_every_board_can_be_shown_in_ascii(game):
    with kibitz.plain():
        table = kibitz.Table(game, seed=1)
        while not table.over and len(table.history) < 20:
            table.play(table.moves[-1])
            shown = table.text().encode("ascii", "similar")
            assert b"?" not in shown
            assert [len(line) for line in shown.splitlines()] == [len(line) for line in table.text().splitlines()]


@pytest.mark.parametrize(("character", "stand_in"), [("╭", "+"), ("…", "..."), ("ö", "o"), ("½", "1/2"), ("象", "?")])
def test_a_character_is_replaced_by_a_similar_one(character, stand_in):
    assert similar(character) == stand_in
