"""The report from the command line."""

import pytest
from logged_games import as_games, play, tournament

from kibitz.records.log import LogWriter


@pytest.fixture
def folder(tmp_path):
    what = {**tournament(), "paired": True}
    with LogWriter(tmp_path / "log", what) as log:
        log.write(as_games(play(what)))
    return tmp_path / "log"


def test_a_report_is_written_next_to_the_log(run, folder):
    outcome = run("report", str(folder))
    assert outcome.code == 0
    assert outcome.out == f"Wrote {folder}.html.\n"
    assert folder.with_suffix(".html").read_text().startswith("<!doctype html>")


def test_a_report_is_written_to_the_given_path(run, folder, tmp_path):
    assert run("report", str(folder), "--out", str(tmp_path / "page.html")).code == 0
    assert (tmp_path / "page.html").exists()


def test_a_path_without_a_log_is_reported_in_one_sentence(run, tmp_path):
    outcome = run("report", str(tmp_path / "nothing"))
    assert outcome.code == 2
    assert outcome.err == f"kibitz: There is no log in {tmp_path / 'nothing'}: it has no tournament.json.\n"


def test_a_log_without_finished_games_is_reported_in_one_sentence(run, tmp_path):
    LogWriter(tmp_path / "log", {**tournament(), "paired": True}).close()
    outcome = run("report", str(tmp_path / "log"))
    assert outcome.code == 2
    assert outcome.err == f"kibitz: No game of the log {tmp_path / 'log'} is finished yet.\n"
