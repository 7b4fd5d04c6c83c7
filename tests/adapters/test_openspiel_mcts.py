"""OpenSpiel's search is a bot: in games of OpenSpiel, and in games of kibitz without hidden information."""

import sys

import pytest
from toys import DiceRace, HighCard, Nim

import kibitz
from kibitz.adapters.openspiel import pyspiel_game
from kibitz.adapters.openspiel_mcts import OpenSpielMCTS
from kibitz.errors import SpecError
from kibitz.players.roster import bots_for, check_public, resolve
from kibitz.rules.registry import find_game

WINNING = ("x(0,0)", "o(2,2)", "x(0,1)", "o(2,1)")  # now x(0,2)


def view_after(game, *moves, seed=1):
    table = kibitz.Table(game, seed)
    for move in moves:
        table.play(move)
    return table.view(table.turn)


def test_it_finds_the_winning_move_in_a_game_of_openspiel():
    view = view_after("openspiel:name=tic_tac_toe", *WINNING)
    bot = kibitz.bot("openspiel-mcts:sims=300", view.game)
    assert view.name(bot.choose(view)) == "x(0,2)"
    best = bot.analyse(view).best
    assert (view.name(best.move), best.value, best.exact) == ("x(0,2)", 1.0, True)


def test_it_ranks_moves_by_visits_and_counts_its_simulations():
    view = view_after("openspiel:name=tic_tac_toe")
    report = kibitz.bot("openspiel-mcts:solve=no", view.game).analyse(view, "sims=500")
    visits = [ranked.visits for ranked in report.moves]
    assert visits == sorted(visits, reverse=True)
    assert (sum(visits), report.work, report.unit) == (499, 500, "simulations")  # the first one evaluates the root
    assert len(view.line_names(report.line)) == len(report.line) == report.depth > 1


@pytest.mark.parametrize("game", ["openspiel:name=pig", Nim(heap=9), DiceRace()], ids=["pig", "Nim", "DiceRace"])
def test_the_same_seed_gives_the_same_moves(game):
    with kibitz.plain():
        ranked = [
            kibitz.bot("openspiel-mcts:sims=40", game).analyse(view_after(game, seed=seed)).moves for seed in (1, 1, 2)
        ]
    assert ranked[0] == ranked[1] != ranked[2]
    assert resolve("openspiel-mcts:sims=40", kibitz.game(game)).is_reproducible
    assert not resolve("openspiel-mcts:ms=40", kibitz.game(game)).is_reproducible


def test_it_finds_the_winning_move_in_a_game_of_kibitz():
    with kibitz.plain():
        view = view_after(Nim(heap=7))
        assert view.name(kibitz.bot("openspiel-mcts:sims=300", view.game).choose(view)) == "take 3"


def test_a_proven_loss_is_avoided_although_shares_of_the_win_are_never_negative():
    """For OpenSpiel, 0 is a draw; here it is a loss, and as bad as it gets."""
    with kibitz.plain():
        view = view_after("connect_four", "4", "1", "4", "1", "4")
        report = kibitz.bot("openspiel-mcts:sims=400", view.game).analyse(view)
    lost = [ranked for ranked in report.moves if ranked.exact]
    assert lost and all(ranked.value == 0 for ranked in lost)
    assert view.name(report.best.move) == "4"


def test_it_plays_a_legal_move_however_short_the_time():
    for game in (find_game("openspiel:name=tic_tac_toe"), Nim(heap=9)):
        with kibitz.plain():
            view = view_after(game)
            assert kibitz.bot("openspiel-mcts:ms=1", game).choose(view, kibitz.Limit(seconds=1e-9)) in view.moves


def test_a_game_in_python_is_searched_without_a_crash():
    """OpenSpiel's `step` releases Python's lock, which games in Python do not survive; here, one goes through both."""
    with kibitz.plain():
        pyspiel_game(Nim(heap=9))  # registers it
        view = view_after("openspiel:name=kibitz_nim,heap=7")
        assert view.name(kibitz.bot("openspiel-mcts:sims=300", view.game).choose(view)) == "take 3"


def test_games_with_hidden_information_are_refused():
    with pytest.raises(SpecError, match="it would search information it must not see; use ismcts or mc"):
        kibitz.bot("openspiel-mcts", HighCard())


def test_games_that_pay_before_their_end_are_refused():
    with pytest.raises(SpecError, match="it only searches games that pay at their end; use random"):
        kibitz.bot("openspiel-mcts", "openspiel:name=2048")


def test_a_missing_package_is_reported_with_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(SpecError, match=r'OpenSpiel is missing; install it with: pip install "kibitz\[openspiel\]"'):
        kibitz.bot("openspiel-mcts:sims=10", Nim())
    assert "openspiel-mcts" not in bots_for(Nim())


def test_an_instance_is_the_same_as_its_spec():
    assert resolve(OpenSpielMCTS(sims=20, c=1.5), Nim()).spec == "openspiel-mcts:sims=20,c=1.5"


def test_browsers_get_few_simulations():
    check_public("openspiel-mcts:sims=2000", Nim())
    with pytest.raises(SpecError, match="sims is at most 2,000 here"):
        check_public("openspiel-mcts:sims=2001", Nim())
