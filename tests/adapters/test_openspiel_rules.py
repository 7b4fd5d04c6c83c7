"""Games of OpenSpiel are played at tables of kibitz, by its bots and in its tournaments."""

import pickle
import sys

import pyspiel
import pytest

import kibitz
from kibitz.errors import KibitzError, RulesError, SpecError
from kibitz.players.levels import levels_of
from kibitz.players.roster import bots_for
from kibitz.records.log import Log
from kibitz.rules.registry import find_game, spec_of
from kibitz.solve import solve
from kibitz.testing import check_game

TIC_TAC_TOE = "openspiel:name=tic_tac_toe"
BREAKTHROUGH = "openspiel:name=breakthrough,rows=4,columns=3"


# ------------------------------------------------------------------ the rules


@pytest.mark.parametrize("name", ["backgammon", "catch", "dots_and_boxes", "nim", "pig", "ultimate_tic_tac_toe"])
def test_a_random_game_is_the_one_that_openspiel_plays(name):
    table = kibitz.Table(f"openspiel:name={name}", seed=1)
    bot, state = kibitz.bot("random", table.game), pyspiel.load_game(name).new_initial_state()
    names = []
    while not table.over:
        table.play(bot.choose(table.view(table.turn)))
    for turn, move in table.history:
        assert (turn == kibitz.CHANCE, max(turn, -1)) == (state.is_chance_node(), max(state.current_player(), -1))
        names.append(" ".join(state.action_to_string(move).split()))
        state.apply_action_with_legality_check(move)
    assert state.is_terminal()
    assert table.payoff() == state.returns()
    assert table.history_names == names
    assert table.text() == str(state).rstrip("\n")


def test_chance_falls_as_openspiel_says():
    table = kibitz.Table("openspiel:name=pig", deal=False)
    while table.turn != kibitz.CHANCE:
        table.play("roll")
    assert table.moves == [outcome for outcome, _ in table.game.state_of(table.state).chance_outcomes()]
    assert kibitz.Table(table.game, seed=3).history == kibitz.Table(table.game, seed=3).history


def test_payoffs_are_utilities_within_the_bounds_of_openspiel():
    game = find_game("openspiel:name=maedn,players=4")  # whose bounds are −3 and 3 in OpenSpiel
    assert (game.players, game.utility_sum) == (4, 0)
    assert game.min_utility >= -3
    assert game.max_utility <= 3
    assert find_game("openspiel:name=catch").utility_sum is None


def test_a_position_is_found_again_when_it_is_no_longer_kept():
    table = kibitz.Table(TIC_TAC_TOE)
    for name in ("x(1,1)", "o(0,0)", "x(0,1)"):
        table.play(name)
    elsewhere = find_game(TIC_TAC_TOE)
    assert table.game.board().text(elsewhere, table.state) == "ox.\n.x.\n..."
    assert elsewhere == table.game and hash(elsewhere) == hash(table.game)
    again = kibitz.Table(elsewhere, position=table.state.to_text())
    assert (again.turn, again.names) == (table.turn, table.names)


def test_a_game_is_recorded_and_replayed():
    table = kibitz.Table(BREAKTHROUGH, seed=2)
    bot = kibitz.bot("random", table.game)
    while not table.over:
        table.play(bot.choose(table.view(table.turn)))
    record = kibitz.Record.from_json(table.record().to_json())
    assert kibitz.Table.replay(record).payoff() == table.payoff()


# ------------------------------------------------------------------ specs


def test_parameters_are_options():
    game = find_game("openspiel:columns=3,name=breakthrough,rows=4")
    assert str(game.loaded) == "breakthrough(columns=3,rows=4)"
    assert spec_of(game) == BREAKTHROUGH.replace("rows=4,columns=3", "columns=3,rows=4")
    assert pickle.loads(pickle.dumps(game)) == game != find_game("openspiel:name=breakthrough")
    assert (
        spec_of(find_game("openspiel:name=chinese_checkers,players=3")) == "openspiel:name=chinese_checkers,players=3"
    )
    assert (
        str(find_game("openspiel:name=nim,pile_sizes=1;2,is_misere=no").loaded) == "nim(is_misere=False,pile_sizes=1;2)"
    )


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("openspiel", "openspiel needs the name of a game, as in openspiel:name=tic_tac_toe."),
        ("openspiel:name=tictactoe", "There is no game of OpenSpiel called 'tictactoe'. Did you mean tic_tac_toe?"),
        (f"{TIC_TAC_TOE},size=4", "openspiel has no option 'size'; it has name."),
        (f"{BREAKTHROUGH},name=go", "name is given twice in 'openspiel:name=breakthrough,rows=4,columns=3,name=go'."),
        ("openspiel:name=goofspiel", "its players act simultaneously, but here they act one at a time."),
        ("openspiel:name=kuhn_poker", "it hides information, and OpenSpiel tells what a player sees only as text."),
        ("openspiel:name=tarok", "it does not tell the probabilities of its chance outcomes."),
        ("openspiel:name=misere", "it is made from another game, which a spec cannot name."),
        ("openspiel:name=breakthrough,rows=1", "with these parameters: its games have no moves."),
        ("openspiel:name=hex,swap=maybe", "openspiel: swap must be yes or no, not 'maybe'."),
        ("openspiel:name=backgammon,scoring_type=x", "cannot load backgammon: Unrecognized scoring_type parameter: x."),
    ],
)
def test_what_cannot_be_played_is_refused_with_a_sentence(spec, sentence):
    with pytest.raises(SpecError) as refusal:
        find_game(spec)
    assert sentence in str(refusal.value)


def test_a_misspelled_library_is_recognized():
    with pytest.raises(SpecError, match="Did you mean openspiel"):
        find_game("openspeil:name=go")


def test_a_missing_package_is_reported_with_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    for spec in (TIC_TAC_TOE, "openspiel:name=some_other_game"):
        with pytest.raises(KibitzError, match="OpenSpiel is missing"):
            find_game(spec)


# ------------------------------------------------------------------ bots


def test_bots_that_are_compiled_with_the_rules_are_refused():
    game = find_game(TIC_TAC_TOE)
    assert list(bots_for(game)) == ["random", "openspiel-mcts", "best"]
    for spec in ("uct", "greedy", "alphabeta:depth=2", "mc:sims=10", "zero:net=x.npz"):
        with pytest.raises(SpecError, match="games of OpenSpiel cannot be compiled; use random or openspiel-mcts"):
            kibitz.bot(spec, game)


@pytest.mark.parametrize("work", [check_game, solve, lambda game: kibitz.perft(game, 2)])
def test_what_needs_compiled_rules_says_that_there_are_none(work):
    with pytest.raises((KibitzError, RulesError), match="games of OpenSpiel cannot be compiled"):
        work(find_game(TIC_TAC_TOE))


def test_every_level_can_play():
    for name in ("tic_tac_toe", "2048"):  # which pays while it is played, so that no search fits
        game = find_game(f"openspiel:name={name}")
        for level in levels_of(game):
            assert kibitz.bot(level.spec, game)


# ------------------------------------------------------------------ commands


def test_it_is_played_in_the_terminal(run):
    outcome = run(f"play {TIC_TAC_TOE} --vs random --seed 1", typed="x(1,1)\nundo\nquit\n")
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith("Tic Tac Toe: a game of OpenSpiel.")
    assert "player 2: o(" in outcome.out and "Taken back." in outcome.out


def test_it_is_watched_and_analysed(run):
    watched = run(f"watch {TIC_TAC_TOE} random openspiel-mcts:sims=20 --seed 1 --moves-only")
    assert watched.code == 0 and "Utility: player 1" in watched.out
    analysed = run(f"analyse {TIC_TAC_TOE} --moves", "x(0,0) o(2,2) x(0,1) o(2,1)")
    assert analysed.code == 0 and "Best line: x(0,2)" in analysed.out


def test_a_tournament_is_logged_and_replayed(run, tmp_path):
    arena = run(f"arena {BREAKTHROUGH} random openspiel-mcts:sims=20 --games 4 --seed 1 --log {tmp_path / 'log'}")
    assert arena.code == 0, arena.err
    assert "openspiel-mcts:sims=20" in arena.out
    log = Log(tmp_path / "log")
    assert log.rules() == find_game(BREAKTHROUGH)
    assert len(log.games()) == 4
    replay = run(f"replay {tmp_path / 'log'} --game 2")
    assert replay.code == 0 and "wins." in replay.out
    resumed = run(f"arena --resume {tmp_path / 'log'}")
    assert resumed.code == 0, resumed.err


def test_random_players_play_a_tournament():
    """They are compiled players, but these rules are not compiled."""
    result = kibitz.arena(TIC_TAC_TOE, ["random", "random"], games=4, seed=1)
    assert result.played == 4
