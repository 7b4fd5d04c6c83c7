"""The report of a search in a notebook."""

import kibitz
from kibitz.players.bot import Ranked, Report


def analysed(spec, game, moves=""):
    table = kibitz.Table(game)
    for name in moves.split():
        table.play(name)
    return kibitz.bot(spec, table.game).analyse(table.view(table.turn))


def test_moves_are_shown_in_words_best_first_with_the_expected_line():
    report = analysed("alphabeta:depth=10", "connect_four", "4 4 3 3")
    html = report._repr_html_()
    assert "100.0%, proven" in html
    words = report.view.say_line(report.best.line)
    assert html.index(f">{words[0]}<") < html.index("67.7%")
    assert f">{', '.join(words[1:])}<" in html
    assert "nodes" in html
    assert "Prior" not in html


def test_probabilities_of_a_network_have_a_column():
    html = analysed("zero:sims=20", "connect_four")._repr_html_()
    assert "Prior" in html
    assert "Visits" in html


def test_a_report_without_a_view_shows_numbers():
    html = Report((Ranked(3, 0.5), Ranked(7, 0.25, line=(7, 8))), 2, "nodes", 1, 0.0)._repr_html_()
    assert ">3<" in html
    assert ">7<" in html
    assert ">8<" in html
    assert ">25.0%<" in html


def test_of_very_many_moves_the_best_are_shown():
    moves = tuple(Ranked(move, 1 - move / 100) for move in range(40))
    html = Report(moves, 1, "nodes", 1, 0.0)._repr_html_()
    assert html.count("<tr>") == 31
    assert "10 more moves are not shown." in html


def test_two_reports_are_equal_whatever_view_they_are_of():
    assert Report((), 1, "nodes", 1, 0.0) == Report((), 1, "nodes", 1, 0.0, view=kibitz.Table("ur").view(0))
