"""Ur's own bots, and its compiled rules."""

import pytest

import kibitz
from kibitz.games.ur.bots import Perfect
from kibitz.games.ur.rules import Ur
from kibitz.notices import Notice
from kibitz.players.roster import bots_for
from kibitz.rules.engine import Engine
from kibitz.solve import solve, values_of
from kibitz.testing import check_game

TWO, SEVEN = Ur(pieces=2), Ur(pieces=7)


@pytest.fixture(autouse=True)
def own_tables(tmp_path, monkeypatch):
    """No tables of solved games but those that a test makes."""
    monkeypatch.setattr("kibitz.solve.files._folders", lambda: [tmp_path / "solutions"])


@pytest.mark.parametrize("game", [TWO, Ur(pieces=2, rosettes=16, coins=3, safe=False)], ids=["classic", "masters"])
def test_compiled_rules_keep_the_contract_and_agree_with_plain_ones(game):
    check_game(game, games=10)


def test_perfect_plays_a_move_of_the_highest_value():
    bot, values, table = Perfect(), values_of(TWO), kibitz.Table(TWO, seed=1)
    while not table.over:
        worth = {valued.move: valued.value for valued in values.ranked(table.state)}
        move = bot.choose(table.view(table.turn))
        assert worth[move] == max(worth.values())
        table.play(move)


def test_perfect_says_what_every_move_is_worth():
    table = kibitz.Table(TWO, seed=2)
    while len(table.moves) < 2:
        table.play(table.moves[0])
    report = Perfect().analyse(table.view(table.turn))
    assert [(r.move, r.value) for r in report.moves] == [(v.move, v.value) for v in values_of(TWO).ranked(table.state)]
    assert all(ranked.exact for ranked in report.moves)


def test_perfect_can_be_given_a_table(tmp_path):
    solve(Ur(pieces=3), out=tmp_path / "three.table")
    bot, table = Perfect(file=str(tmp_path / "three.table")), kibitz.Table(TWO, seed=1)
    assert bot.choose(table.view(table.turn)) in table.moves


ROSETTES, POW2 = "greedy:values=rosettes", "greedy:values=pow2"
# Shares of the win that others measured in 40,000 games each, good to ±0.0025.
KNOWN = {
    ("perfect", "random"): 0.958,
    ("perfect", POW2): 0.876,
    ("perfect", "learned"): 0.722,
    ("perfect", ROSETTES): 0.855,
    ("perfect", "last"): 0.878,
    ("perfect", "first"): 0.986,
    ("learned", "random"): 0.920,
    ("learned", POW2): 0.756,
    ("learned", ROSETTES): 0.713,
    ("learned", "last"): 0.762,
    ("learned", "first"): 0.986,
    (ROSETTES, "random"): 0.793,
    (ROSETTES, POW2): 0.540,
    (POW2, "random"): 0.752,
    (POW2, "last"): 0.505,
    (POW2, "first"): 0.942,
    ("last", "random"): 0.737,
    ("random", "first"): 0.807,
}


@pytest.mark.slow
def test_bots_match_their_known_win_rates():
    specs = ["perfect", "learned", ROSETTES, POW2, "last", "random", "first"]
    result = kibitz.arena("ur", specs, games=21 * 4000, seed=1)
    found = {pair: result.pair(*map(specs.index, pair)).share for pair in KNOWN}
    assert found == {pair: pytest.approx(share, abs=0.02) for pair, share in KNOWN.items()}


def test_perfect_needs_a_solution():
    table = kibitz.Table(SEVEN, seed=1)
    with pytest.raises(kibitz.KibitzError, match="run `kibitz solve ur:pieces=7` once"):
        kibitz.bot("perfect", SEVEN).choose(table.view(table.turn))


def test_best_is_perfect_where_the_game_is_solved():
    assert bots_for(TWO)["best"].startswith("Defined by the game: perfect")
    assert bots_for(SEVEN)["best"].startswith("Defined by the game: expectimax")


def test_greedy_takes_its_values_from_a_file(tmp_path):
    (tmp_path / "behind.txt").write_text("0 " + " ".join(str(-step) for step in range(1, 16)))
    bot, table = kibitz.bot(f"greedy:values={tmp_path}/behind.txt", Ur()), kibitz.Table(Ur(), seed=1)
    assert bot.choose(table.view(table.turn)) in table.moves
    (tmp_path / "short.txt").write_text("1 2 3")
    with pytest.raises(kibitz.SpecError, match="has 3 numbers; greedy needs one for each step from 0 to 15"):
        kibitz.bot(f"greedy:values={tmp_path}/short.txt", Ur()).choose(table.view(table.turn))
    with pytest.raises(kibitz.SpecError, match="values=pow2, values=rosettes or a file"):
        kibitz.bot("greedy:values=nowhere", Ur()).choose(table.view(table.turn))


def test_a_captured_piece_counts_as_back_in_the_hand():
    state = Engine(Ur()).start()
    state.at[0], state.at[1] = 1 << 5 | 1 << 9, 1 << 7
    state.hand[0], state.hand[1] = 2, 3
    state.roll, state.turn = 2, 0
    bots = [kibitz.bot(spec, Ur()) for spec in (POW2, ROSETTES, "learned")]
    assert [bot.choose(kibitz.Table(Ur(), position=state).view(0)) for bot in bots] == [5, 5, 5]
    state.at[1], state.hand[1] = 0, 4
    assert [bot.choose(kibitz.Table(Ur(), position=state).view(0)) for bot in bots] == [9, 9, 0]


def test_of_equal_moves_the_rearmost_piece_goes(tmp_path):
    (tmp_path / "flat.txt").write_text("1 " * 16)
    state = Engine(Ur()).start()
    state.at[0] = 1 << 5 | 1 << 9
    state.hand[0], state.hand[1] = 2, 4
    state.roll, state.turn = 2, 0
    view = kibitz.Table(Ur(), position=state).view(0)
    assert kibitz.bot(f"greedy:values={tmp_path}/flat.txt", Ur()).choose(view) == 0


def test_greedy_analyses_positions_unless_it_plays_by_step_values():
    view = kibitz.Table(Ur(), seed=1).view(kibitz.Table(Ur(), seed=1).turn)
    assert [ranked.move for ranked in kibitz.bot("greedy", Ur()).analyse(view).moves]
    with pytest.raises(kibitz.KibitzError, match="are not win probabilities"):
        kibitz.bot("greedy:values=pow2", Ur()).analyse(view)


def test_solving_on_first_use_is_announced(monkeypatch):
    told = []
    monkeypatch.setattr("kibitz.notices.listener", lambda notice, sentence: told.append((notice, sentence)))
    values_of(Ur(pieces=1))
    values_of(Ur(pieces=1))
    solving = [sentence for notice, sentence in told if notice is Notice.WORKING]
    assert solving == ["Solving ur:pieces=1 … (once; kept for next time)"]


def test_first_moves_the_rearmost_piece_and_last_the_foremost():
    table = kibitz.Table(Ur(), seed=1)
    while len(table.moves) < 3:
        table.play(table.moves[0])
    view = table.view(table.turn)
    assert kibitz.bot("first", Ur()).choose(view) == min(view.moves)
    assert kibitz.bot("last", Ur()).choose(view) == max(view.moves)
