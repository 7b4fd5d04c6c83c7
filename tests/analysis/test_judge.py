"""The judge of a game, and the opinion of the network that ships with it."""

from threading import Event

import pytest
from toys import Nim

import kibitz
from kibitz.analysis import judge
from kibitz.analysis.judge import Judge
from kibitz.errors import KibitzError
from kibitz.web.judges import Judges
from kibitz.web.opinions import _look

OPINION = {0: 0.001, 1: 0.25, 2: 0.749}


@pytest.fixture
def asked(monkeypatch):
    """The views that a network was asked about, which ships with Nim."""
    views = []
    monkeypatch.setattr(Nim, "network", "net.npz", raising=False)
    monkeypatch.setattr(judge, "move_probabilities", lambda view: views.append(view) or OPINION)
    return views


def view(game):
    return kibitz.Table(game, seed=1).view(0)


def test_the_network_is_asked_once_per_position(asked):
    looked, seen = Judge(Nim()), view(Nim())
    assert [looked.opinion(seen) for _ in range(3)] == [OPINION] * 3
    assert asked == [seen]
    looked.opinion(view(Nim()))
    assert len(asked) == 2


def test_a_variant_without_a_network_has_no_opinion(asked):
    assert Judge(Nim(heap=9)).opinion(view(Nim(heap=9))) == {}
    assert not asked


def test_a_network_that_does_not_fit_is_no_reason_to_fail(asked, monkeypatch):
    def fail(view):
        raise KibitzError("it was learned from other rules")

    monkeypatch.setattr(judge, "move_probabilities", fail)
    assert Judge(Nim()).opinion(view(Nim())) == {}


@pytest.mark.parametrize("heap", [21, 9])
def test_the_page_shows_it_beside_whatever_search(asked, heap):
    with kibitz.plain():
        _, moves, _ = _look(Judges(1), object(), "", view(Nim(heap)), 0.01, Event())
    shown = {move["move"]: move["network"] and move["network"]["words"] for move in moves}
    assert shown == ({0: "<1 %", 1: "25 %", 2: "75 %"} if heap == 21 else dict.fromkeys(range(3)))
