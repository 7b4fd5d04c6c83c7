"""Ur's own section of a report."""

import re

import kibitz
from kibitz.games.ur.report import report_sections
from kibitz.games.ur.rules import Ur
from kibitz.records.log import Log

TWO = Ur(pieces=2)


def test_bots_are_ordered_by_what_they_gave_away(tmp_path):
    kibitz.arena(TWO, ["random", "perfect"], games=20, seed=1, log=tmp_path / "log")
    (section,) = report_sections(TWO, Log(tmp_path / "log"))
    assert section.title == "Regret"
    rows = re.findall('<th scope="row">([^<]*)</th><td class="number">([^<]*)\u202f%</td>', section.html)
    assert [name for name, _ in rows] == ["perfect", "random"]
    assert float(rows[0][1]) == 0.0
    assert float(rows[1][1]) > 1.0
    assert "100.0\u202f%" in section.html


def test_an_unsolved_game_has_no_section(tmp_path, monkeypatch):
    monkeypatch.setattr("kibitz.solve.files._folders", lambda: [tmp_path / "solutions"])
    seven = Ur(pieces=7, rosettes=14)
    kibitz.arena(seven, ["random", "last"], games=2, seed=1, log=tmp_path / "log")
    assert report_sections(seven, Log(tmp_path / "log")) == []
