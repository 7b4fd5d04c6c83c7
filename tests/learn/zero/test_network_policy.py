"""`policy`: plays by a network's probabilities of moves, without search."""

from collections import Counter

import numpy as np
import pytest
from nets import blank_network, random_network, written
from toys import HighCard, Nim

import kibitz
from kibitz.compiler import stats
from kibitz.learn.zero import policy
from kibitz.learn.zero.policy import move_probabilities
from kibitz.players.roster import bots_for, resolve
from kibitz.search.move_priors import advice_of, rate_moves

NIM = Nim(heap=21)


def eager(move):
    """A network that thinks a move e times as likely as any other."""
    network = blank_network(NIM)
    network.move_bias[move] = 1.0
    return network


@pytest.fixture
def net(tmp_path):
    return written(NIM, eager(1), tmp_path / "net.npz")


def test_it_plays_the_most_probable_move(net):
    with kibitz.plain():
        assert kibitz.bot(f"policy:net={net}", NIM).choose(kibitz.Table(NIM).view(0)) == 1


def test_the_probabilities_are_those_of_the_network(net):
    with kibitz.plain():
        found = move_probabilities(kibitz.Table(NIM).view(0), str(net))
    assert list(found.values()) == pytest.approx(np.array([1, np.e, 1]) / (2 + np.e), abs=1e-3)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 4.0, 1e-300])
def test_a_temperature_draws_by_powers_of_the_probabilities(net, temperature, monkeypatch):
    odds = np.array([0.2, 0.5, 0.3])
    monkeypatch.setattr(policy, "judge_moves", lambda game, by, *_: by.priors.__setitem__(slice(3), odds))
    with kibitz.plain():
        view, bot = kibitz.Table(NIM, seed=1).view(0), kibitz.bot(f"policy:net={net},temperature={temperature}", NIM)
        drawn = Counter(bot.choose(view) for _ in range(400))
    powers = (odds / odds.max()) ** (1 / temperature)
    assert [drawn[move] / 400 for move in range(3)] == pytest.approx(powers / powers.sum(), abs=0.08)


def test_whole_games_run_in_compiled_code_that_networks_share(net, tmp_path):
    assert resolve(f"policy:net={net}", NIM).is_compiled

    def length(net):
        result = kibitz.arena(NIM, [f"policy:net={net},temperature=0.5", "random"], games=20, seed=1, workers=1)
        assert not result.tally.faults
        return result.plies_mean

    found = length(net)
    compiled = stats.compiled
    assert length(written(NIM, eager(2), tmp_path / "other.npz")) < found  # it takes three rather than two
    assert stats.compiled == compiled


def test_it_moves_in_playouts(net):
    """Everybody takes two after the first move, so that every playout of a move ends alike."""
    with kibitz.plain():
        mc = kibitz.bot(f"mc:sims=6,by=policy:net={net}", Nim(heap=21))
        report = mc.analyse(kibitz.Table(NIM).view(0))
    assert {ranked.move: ranked.value for ranked in report.moves} == {0: 1.0, 1: 1.0, 2: 0.0}


def test_it_sees_only_what_the_player_to_act_may_know(tmp_path):
    """Also in a playout, where everything is dealt out."""
    game = HighCard()
    path = written(game, random_network(game), tmp_path / "net.npz")
    with kibitz.plain():
        advice = advice_of(f"policy:net={path}", game)
        found = {}
        for seed in range(25):
            table = kibitz.Table(game, seed=seed)
            view, moves = table.view(0), list(table.moves)
            known = move_probabilities(view, str(path))
            rate_moves(game, table.state, moves, len(moves), advice)
            assert [advice.priors[i] for i in range(len(moves))] == list(known.values())
            found.setdefault(str(view.state), set()).add(tuple(known.values()))
    assert 1 < len(found) < 25
    assert all(len(same) == 1 for same in found.values())


def test_a_bot_with_a_network_guides_other_searches(net):
    with kibitz.plain():
        for spec in (f"policy:net={net}", f"zero:net={net}"):
            report = kibitz.bot(f"uct:sims=30,prior={spec},bias=500", NIM).analyse(kibitz.Table(NIM).view(0))
            assert report.best.move == 1


def test_without_a_network_it_says_how_to_get_one():
    with pytest.raises(
        kibitz.SpecError, match=r"train one with `kibitz train Nim --method zero`, then name it: policy:"
    ):
        kibitz.bot("policy", Nim())
    assert "`kibitz train Nim --method zero` writes the file." in bots_for(Nim())["policy:net=FILE"]
