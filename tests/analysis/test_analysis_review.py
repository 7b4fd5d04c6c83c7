"""What moves gave away, by one review for the command line and the page."""

import pytest

import kibitz
from kibitz.analysis.grades import Grade, accuracy
from kibitz.analysis.judge import Judge
from kibitz.analysis.review import judge_move, review
from kibitz.errors import KibitzError
from kibitz.players.bot import Ranked, Report, Searcher

SMALL = "connect_four:columns=4,rows=4"


class Opinionated(Searcher):
    """Ranks the first two legal moves only, the first one far ahead."""

    def search(self, view, limit, ranking):
        self.limit_obeyed = limit
        moves = [Ranked(move, value) for move, value in zip(view.moves, (0.9, 0.6), strict=False)]
        return Report(tuple(moves), 1, "nodes", 1, 0.0)


def record_of(*moves):
    table = kibitz.Table(SMALL, seats=("one", "two"))
    for move in moves:
        table.play(move)
    return table.record()


def test_every_decision_is_judged_by_what_it_gave_away():
    first, second = review(record_of(0, 1), Opinionated())
    assert (first.ply, first.player, first.move, first.best, first.chance, first.regret) == (1, 0, "1", "1", 0.9, 0.0)
    assert (second.ply, second.player, second.move, second.best) == (2, 1, "2", "1")
    assert second.regret == pytest.approx(0.3)


def test_a_move_that_the_search_left_out_is_no_better_than_its_last():
    (judged,) = review(record_of(3), Opinionated())
    assert judged.regret == pytest.approx(0.3)
    assert judged.best == "1"


def test_the_limit_is_handed_to_the_search():
    judge = Opinionated()
    review(record_of(0), judge, limit=kibitz.Limit(seconds=0.25))
    assert judge.limit_obeyed == kibitz.Limit(seconds=0.25)


def test_progress_counts_plies():
    seen = []
    review(record_of(0, 1, 2), Opinionated(), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_of_moves_with_equal_value_the_one_played_is_as_good_as_any():
    view = kibitz.Table(SMALL).view(0)
    report = Report((Ranked(0, 0.5, exact=True), Ranked(2, 0.5, exact=True)), 2, "nodes", 1, 0.0)
    judged = judge_move(view, report, 2, ply=1)
    assert (judged.best, judged.regret, judged.exact) == ("3", 0.0, True)


def test_what_was_at_stake_is_the_distance_to_the_worst_move():
    first, second = review(record_of(0, 1), Opinionated())
    assert (first.stake, second.stake) == (pytest.approx(0.3), pytest.approx(0.3))
    assert (first.grade, second.grade) == (Grade.BEST, Grade.BLUNDER)
    assert accuracy([first, second]) == pytest.approx(0.5)
    assert accuracy([]) is None


# ------------------------------------------------------------------ the judge


def judge_of(monkeypatch, bots):
    rules = kibitz.game(SMALL)
    monkeypatch.setattr(type(rules), "bots", bots, raising=False)
    return Judge(rules)


def test_the_judge_is_the_best_bot_if_it_is_a_search(monkeypatch):
    judge = judge_of(monkeypatch, {"best": Opinionated})
    assert judge.look(kibitz.Table(SMALL).view(0), kibitz.Limit(seconds=1)).value == 0.9


def test_where_the_best_bot_cannot_explain_itself_a_search_judges(monkeypatch):
    judge = judge_of(monkeypatch, {"best": "random"})
    report = judge.look(kibitz.Table(SMALL).view(0), kibitz.Limit(simulations=50))
    assert report.unit == "simulations"


def test_without_any_search_there_is_no_judge(monkeypatch):
    class Mute:
        def choose(self, view):
            return view.moves[0]

    with pytest.raises(KibitzError, match="no bot that can analyse"):
        judge_of(monkeypatch, dict.fromkeys(("best", "uct", "ismcts", "mc"), Mute))
