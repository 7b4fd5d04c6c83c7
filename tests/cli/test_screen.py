"""Notices in the terminal."""

from kibitz.cli import screen


def test_lines_about_compiling_count_only_the_time_spent_compiling(monkeypatch, capsys):
    now = 100.0
    monkeypatch.setattr(screen.time, "perf_counter", lambda: now)
    notices = screen.CompileNotices()
    for what, began, ended in (("rules", 100.0, 102.0), ("search", 500.0, 505.0), ("count", 900.0, 901.0)):
        now = began
        notices.begin(what)
        now = ended
        notices.end()
    assert capsys.readouterr().err.splitlines() == [
        "Compiling rules … (only the first time)",
        "Compiling search … (2 s so far)",
        "Compiling count … (7 s so far)",
    ]
