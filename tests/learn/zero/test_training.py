"""The training loop: one seed, one network; it survives interruption; and it learns."""

import dataclasses

import numpy as np
import pytest
from toys import HighCard, Nim

import kibitz
from kibitz.learn.zero import matches
from kibitz.learn.zero import training as module
from kibitz.learn.zero.network_file import TrainedNetwork
from kibitz.learn.zero.self_play import Manner
from kibitz.learn.zero.training import train_zero
from kibitz.tournament.statistics import Share

NIM = Nim(heap=10)
QUICK = Manner(simulations=12, quick=4, opening=1)


@pytest.fixture(autouse=True)
def short_matches(monkeypatch):
    monkeypatch.setattr(module, "GATES", 2)
    for name, value in {"MOST_GAMES": 4, "FEWEST_GAMES": 2, "STRENGTH_SIMULATIONS": 8}.items():
        monkeypatch.setattr(matches, name, value)
    monkeypatch.setattr(matches, "fixed_opponent", lambda game: "random")


def train(path, game=NIM, **options):
    return train_zero(game, path, **{"games": 160, "seed": 3, "manner": QUICK, **options})


def test_the_same_seed_gives_the_same_network_bit_for_bit(tmp_path):
    for name in ("first.npz", "second.npz"):
        train(tmp_path / name)
    assert (tmp_path / "first.npz").read_bytes() == (tmp_path / "second.npz").read_bytes()
    train(tmp_path / "third.npz", seed=4)
    assert (tmp_path / "third.npz").read_bytes() != (tmp_path / "first.npz").read_bytes()


def test_it_learns_to_play(tmp_path):
    """Against perfect play in Nim nothing wins from a heap of four, eight, … with any move; the rest has one winner."""
    train(tmp_path / "net.npz", games=1600)
    right = 0
    for left in (5, 6, 7, 9, 10):
        table = kibitz.Table(NIM, position=_position(left))
        player = kibitz.bot(f"zero:net={tmp_path / 'net.npz'},sims=2", table.game)
        right += player.choose(table.view(0)) == left % 4 - 1
    assert right >= 4


def _position(left):
    state = kibitz.Table(NIM).state.copy()
    state.left = left
    return state.to_text()


def test_an_interrupted_training_goes_on_where_it_was(tmp_path):
    def interrupt(now, part):
        if now.batches == 2:
            raise KeyboardInterrupt

    whole = train(tmp_path / "whole.npz")
    broken = train(tmp_path / "broken.npz", progress=interrupt)
    assert broken.interrupted
    assert broken.progress.games == 80
    assert TrainedNetwork.read(tmp_path / "broken.npz").games <= 80
    resumed = train(tmp_path / "broken.npz", resume=True)
    assert not resumed.interrupted
    assert resumed.progress.games == whole.progress.games == 160
    assert (tmp_path / "broken.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()


def test_a_killed_training_keeps_its_last_checkpoint(tmp_path, monkeypatch):
    """What is on disk after any round is enough to go on."""
    monkeypatch.setattr(module, "CHECKPOINT_SECONDS", 0.0)

    class Killed(BaseException):
        pass

    def kill(now, part):
        if now.batches == 3:
            raise Killed

    with pytest.raises(Killed):
        train(tmp_path / "net.npz", progress=kill)
    assert train(tmp_path / "net.npz", resume=True).progress.games == 160
    train(tmp_path / "whole.npz")
    assert (tmp_path / "net.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()


def test_an_earlier_training_is_not_overwritten(tmp_path):
    train(tmp_path / "net.npz", games=40)
    with pytest.raises(kibitz.KibitzError, match="is the state of an earlier training; continue it with --resume"):
        train(tmp_path / "net.npz", games=40)


def test_a_state_of_other_rules_or_a_damaged_one_is_refused(tmp_path):
    train(tmp_path / "net.npz", games=40)
    with pytest.raises(kibitz.KibitzError, match=r"is the state of a training of Nim:heap=10 under other rules"):
        train(tmp_path / "net.npz", game=Nim(heap=11), resume=True)
    state = tmp_path / "net.npz.training"
    state.write_bytes(state.read_bytes()[:1000])
    with pytest.raises(kibitz.KibitzError, match="is not the state of a training run, or it is damaged"):
        train(tmp_path / "net.npz", resume=True)
    with pytest.raises(kibitz.KibitzError, match="cannot be read: No such file"):
        train(tmp_path / "none.npz", resume=True)


def test_gates_keep_the_better_network(tmp_path, monkeypatch):
    shares = iter([0.9, 0.1, 0.9])  # strength, gate, strength
    monkeypatch.setattr(
        matches.Matches, "_play", lambda *_: (Share(s := next(shares), s, s), Share(1 - s, 1 - s, 1 - s))
    )
    done = train(tmp_path / "net.npz", games=80)
    assert [row["promoted"] for row in done.progress.history] == [True, False]
    assert TrainedNetwork.read(tmp_path / "net.npz").games == 40


def test_the_window_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "WINDOW_EXAMPLES", 50)
    run = module._Run(NIM, tmp_path / "net.npz", 1, 1, 64, QUICK, "", resume=False)
    run.train(None, 80, lambda now, part: None)
    assert run.window.size == 50
    monkeypatch.setattr(module, "WINDOW_EXAMPLES", 10_000)
    monkeypatch.setattr(module, "WINDOW_BYTES", 3000)
    run.train(None, 160, lambda now, part: None)
    assert run.window.nbytes < 4000


def test_workers_play_in_threads_and_are_reproducible(tmp_path):
    for name in ("first.npz", "second.npz"):
        train(tmp_path / name, workers=2)
    assert (tmp_path / "first.npz").read_bytes() == (tmp_path / "second.npz").read_bytes()


def test_playouts_in_self_play_are_part_of_a_run(tmp_path):
    """They change what is learned, and a run that is continued goes on with them."""
    net = tmp_path / "net.npz"
    mixed = QUICK._replace(mix=0.5)
    train(net, manner=mixed)
    train(tmp_path / "plain.npz")
    assert net.read_bytes() != (tmp_path / "plain.npz").read_bytes()
    run = module._Run(NIM, net, 1, 1, 64, QUICK, "", resume=True)
    assert run.manner == mixed


def test_games_with_hidden_information_can_be_trained(tmp_path):
    done = train(tmp_path / "net.npz", game=HighCard(), games=80)
    assert done.progress.positions > 100
    assert np.isfinite(done.progress.policy_loss)


def test_progress_reports_losses_and_strength(tmp_path):
    seen = []
    train(tmp_path / "net.npz", games=80, progress=lambda now, part: seen.append((dataclasses.replace(now), part)))
    assert [(now.games, part) for now, part in seen] == [(40, 0.5), (80, 1.0)]
    row = seen[-1][0].history[-1]
    assert row["opponent"] == "random"
    assert row["strength"]["low"] <= row["strength"]["share"] <= row["strength"]["high"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"minutes": 1}, "a number of minutes or for a number of games"),
        ({"games": None}, "a number of minutes or for a number of games"),
        ({"games": None, "minutes": 0}, "minutes must be more than 0"),
        ({"games": 0}, "number of games must be a whole number of at least 1"),
        ({"workers": 0}, "number of workers must be"),
    ],
)
def test_nonsense_is_refused(tmp_path, options, sentence):
    with pytest.raises(kibitz.KibitzError, match=sentence):
        train(tmp_path / "net.npz", **options)
    assert not list(tmp_path.iterdir())


def test_a_wider_network_can_be_trained_and_resumed(tmp_path):
    path = tmp_path / "net.npz"
    train(path, games=40, width=32)
    trained = train(path, games=80, resume=True).trained
    assert (len(trained.network.first_bias), len(trained.network.second_bias)) == (32, 16)
    with pytest.raises(kibitz.KibitzError, match="must be a multiple of 16, not 40"):
        train(tmp_path / "other.npz", games=40, width=40)
