"""`zero`: tree search guided by a network, on games small enough to know the answer."""

import pytest
from nets import blank_network, random_network, written
from toys import ROLL, DiceRace, HighCard, Nim, ThreePurses

import kibitz
from kibitz.compiler import native, numbers
from kibitz.learn.method_features import features_for
from kibitz.learn.zero.evaluator import judge_value, new_evaluator
from kibitz.rules.engine import Engine


def bot(game, path, network=blank_network, **options):
    texts = "".join(f",{key}={value}" for key, value in options.items())
    return kibitz.bot(f"zero:net={written(game, network(game), path / 'net.npz')}{texts}", game)


def test_it_proves_what_is_won(tmp_path):
    table = kibitz.Table(Nim(heap=7))
    report = bot(table.game, tmp_path, sims=2000).analyse(table.view(0))
    assert (report.best.move, report.best.exact, report.value) == (2, True, 1.0)  # which leaves four
    assert report.work < 2000  # the root was proven before


def test_it_is_the_same_search_in_plain_python(tmp_path):
    with kibitz.plain():
        table = kibitz.Table(Nim(heap=6))
        report = bot(table.game, tmp_path, sims=300).analyse(table.view(0))
    assert (report.best.move, report.best.exact) == (1, True)


def test_simulations_follow_the_network(tmp_path):
    game = Nim(heap=21)
    eager = blank_network(game)
    eager.move_bias[0] = 3.0
    report = bot(game, tmp_path, lambda _: eager, sims=20).analyse(kibitz.Table(game).view(0))
    assert report.best.move == 0
    assert report.best.visits > 15
    assert [ranked.prior for ranked in report.moves] == pytest.approx([0.909, 0.045, 0.045], abs=0.002)


def test_with_a_single_simulation_it_plays_the_likeliest_move(tmp_path):
    game = Nim(heap=21)
    eager = blank_network(game)
    eager.move_bias[1] = 1.0
    assert bot(game, tmp_path, lambda _: eager, sims=1).choose(kibitz.Table(game).view(0)) == 1


def test_chance_is_weighed_by_its_odds(tmp_path):
    game = DiceRace(goal=5)
    table = kibitz.Table(game, seed=1)
    report = bot(game, tmp_path, sims=20_000).analyse(table.view(0))
    exact = kibitz.bot("uct:sims=20000", game).analyse(table.view(0))
    assert report.best.move == exact.best.move
    assert report.value == pytest.approx(exact.value, abs=0.03)


def test_more_than_two_players_each_look_after_themselves(tmp_path):
    game = ThreePurses()
    table = kibitz.Table(game, seed=1)
    report = bot(game, tmp_path, sims=3000).analyse(table.view(table.turn))
    known = kibitz.bot("uct:sims=3000", game).analyse(table.view(table.turn))
    assert report.value == pytest.approx(known.value, abs=0.05)


def test_the_tree_is_kept_between_moves(tmp_path):
    game = Nim(heap=21)
    table, player = kibitz.Table(game), bot(game, tmp_path, random_network, sims=300)
    table.play(player.choose(table.view(0)))
    table.play(0)
    kept = player.analyse(table.view(0))
    assert sum(ranked.visits for ranked in kept.moves) > 300


def test_playouts_can_be_mixed_in(tmp_path):
    game = Nim(heap=13)
    table = kibitz.Table(game)
    mixed = bot(game, tmp_path, sims=200, mix=0.5).analyse(table.view(0))
    alone = bot(game, tmp_path, sims=200).analyse(table.view(0))
    assert [ranked.visits for ranked in mixed.moves] != [ranked.visits for ranked in alone.moves]


def test_what_is_hidden_does_not_change_its_choice(tmp_path):
    """Deals that look the same to the player to act are searched alike, visit by visit."""
    game, found = HighCard(), {}
    player = bot(game, tmp_path, random_network, sims=100)
    for seed in range(40):
        table = kibitz.Table(game, seed=seed)
        view = table.view(0)
        view.rng.setstate(kibitz.Table(game, seed=0).view(0).rng.getstate())
        visits = tuple((ranked.move, ranked.visits) for ranked in player.analyse(view).moves)
        found.setdefault(str(view.state), set()).add(visits)
    assert len(found) < 40
    assert all(len(same) == 1 for same in found.values())
    assert sum(ranked.prior for ranked in player.analyse(view).moves) == pytest.approx(1.0, abs=1e-4)


def test_it_plays_games_with_hidden_information_to_the_end(tmp_path):
    game = HighCard()
    path = written(game, random_network(game), tmp_path / "net.npz")
    result = kibitz.arena(game, [f"zero:net={path},sims=20,mix=0.5", "random"], games=12, seed=1, workers=1)
    assert result.played == 12
    assert not result.tally.faults


def test_the_same_seed_gives_the_same_move(tmp_path):
    game = HighCard()
    player = bot(game, tmp_path, random_network, sims=200)
    reports = [player.analyse(kibitz.Table(game, seed=3).view(0)) for _ in range(2)]
    assert reports[0].moves == reports[1].moves


def test_a_full_tree_goes_on_searching(tmp_path):
    for game in (Nim(heap=21), HighCard()):
        player = bot(game, tmp_path, random_network, sims=500, nodes=10)
        assert player.analyse(kibitz.Table(game, seed=1).view(0)).work == 500


def test_alpha_beta_can_search_by_the_values_of_a_network(tmp_path):
    """At depth 1 it plays the move after which the opponent, who is to move, has the lowest value."""
    game = Nim(heap=21)
    net = written(game, random_network(game), tmp_path / "net.npz")
    table = kibitz.Table(game)
    report = kibitz.bot(f"alphabeta:depth=1,by=zero:net={net}", game).analyse(table.view(0))
    evaluator, values = new_evaluator(game, features_for(game, "zero"), random_network(game)), numbers(2, "f8")
    for ranked in report.moves:
        after = kibitz.Table(game)
        after.play(ranked.move)
        judge_value(game, evaluator, native(after.view(1).state), values)
        assert ranked.value == pytest.approx(values[0], abs=1e-4)
    assert [ranked.value for ranked in report.moves] == sorted((ranked.value for ranked in report.moves), reverse=True)
    deep = kibitz.bot(f"alphabeta:depth=21,by=zero:net={net}", game).analyse(table.view(0))
    assert (deep.best.move, deep.best.exact) == (0, True)  # which leaves twenty


def test_expectimax_asks_a_network_only_where_a_player_acts(tmp_path):
    """At depth 1 it averages the values after a roll, which is beyond the horizon."""
    game = DiceRace(goal=9)
    net = written(game, random_network(game), tmp_path / "net.npz")
    evaluator, values = new_evaluator(game, features_for(game, "zero"), random_network(game)), numbers(2, "f8")
    engine, view = Engine(game), kibitz.Table(game, seed=2).view(0)
    report = kibitz.bot(f"expectimax:depth=1,by=zero:net={net}", game).analyse(view)
    rolling = next(ranked for ranked in report.moves if ranked.move == ROLL)
    rolled, share = view.state.copy(), 0.0
    engine.play(rolled, ROLL)
    for outcome, odds in engine.outcomes(rolled):
        after = rolled.copy()
        engine.play(after, outcome)
        judge_value(game, evaluator, native(after), values)
        share += odds * values[0]
    assert rolling.value == pytest.approx(share, abs=1e-6)


@pytest.mark.parametrize("search", ["alphabeta", "expectimax"])
def test_a_bot_without_a_network_cannot_judge_for_others(search):
    with pytest.raises(kibitz.KibitzError, match="by=random has no value for a position; use by=zero"):
        kibitz.bot(f"{search}:by=random", Nim())
