"""Connect Four's own section of a report."""

import numpy as np
from logged_games import as_games, play, tournament

import kibitz
from kibitz.games.connect_four.report import report_sections
from kibitz.records.games import Outcome
from kibitz.records.log import Log, LogWriter


def openings(folder, change=None):
    what = tournament("connect_four", games=6)
    games = as_games(play(what))
    for row in range(6):
        games.moves[row][0] = 3 if row < 4 else 0
        games.payoff[row] = (1, 0) if row in (0, 1, 2, 4) else (0, 1)
    if change:
        change(games)
    with LogWriter(folder, what) as log:
        log.write(games)
    return report_sections(kibitz.game("connect_four"), Log(folder))


def test_openings_are_listed_by_column(tmp_path):
    (section,) = openings(tmp_path / "log")
    assert section.title == "Openings"
    assert "75\u202f% of 4 games" in section.html
    assert "column 4" in section.html
    assert "50\u202f% of 2 games" in section.html
    assert "column 1" in section.html
    assert "column 2" not in section.html


def test_the_section_is_the_same_if_the_log_is_read_in_pieces(tmp_path, monkeypatch):
    at_once = openings(tmp_path / "at once")
    monkeypatch.setattr("kibitz.records.log.READ_AT_ONCE", 1)
    assert openings(tmp_path / "in pieces") == at_once


def test_games_that_ended_by_a_fault_do_not_count(tmp_path):
    def some(games):
        games.outcome[:2] = Outcome.TIMEOUT
        games.moves[0] = games.turns[0] = np.zeros(0, "i4")

    (section,) = openings(tmp_path / "some", some)
    assert "50\u202f% of 2 games" in section.html

    def all_of_them(games):
        games.outcome[:] = Outcome.TIMEOUT

    assert openings(tmp_path / "all", all_of_them) == []
