"""The matches of a training run take only a part of its time."""

from types import SimpleNamespace as Namespace

import pytest
from toys import Nim

from kibitz.learn.zero import matches as module
from kibitz.learn.zero.matches import FEWEST_GAMES, MOST_GAMES, Matches
from kibitz.tournament.statistics import Share

NIM = Nim(heap=5)


class FakeArena:
    """An arena in which every game takes the same time, on a clock of its own."""

    interrupted = False

    def __init__(self, seconds_per_game):
        self.seconds_per_game, self.now = seconds_per_game, 0.0
        self.lengths = []  # of the matches

    def __call__(self, game, bots, *, games, **options):
        self.lengths.append(games)
        self.now += games * self.seconds_per_game
        self.ranking = [Namespace(bot=bot, share=Share(0.5, 0.4, 0.6)) for bot in bots]
        return self


@pytest.fixture
def fake_arena(monkeypatch):
    def install(seconds_per_game):
        arena = FakeArena(seconds_per_game)
        monkeypatch.setattr(module, "arena", arena)
        monkeypatch.setattr(module, "running_time", lambda: arena.now)
        return arena

    return install


@pytest.mark.parametrize(
    ("seconds_per_game", "lengths"),
    [
        (0.001, [FEWEST_GAMES, MOST_GAMES, MOST_GAMES]),  # quick: measured, then in full
        (0.4, [FEWEST_GAMES, 3 * FEWEST_GAMES]),
        (10.0, [FEWEST_GAMES, FEWEST_GAMES]),
    ],
)
def test_matches_of_long_games_are_short(fake_arena, tmp_path, seconds_per_game, lengths):
    arena = fake_arena(seconds_per_game)
    matches = Matches(NIM, opening=1, seconds=20 * 60)  # of which a match may take 15 s
    for _ in range(2):
        matches.strength(tmp_path / "net.npz", "1")
    assert arena.lengths == lengths


def test_a_run_of_so_many_games_does_not_look_at_the_clock(fake_arena, tmp_path):
    arena = fake_arena(seconds_per_game=1000.0)
    Matches(NIM, opening=1, seconds=None).for_the_best(tmp_path / "net.npz", tmp_path / "best.npz", "1")
    assert arena.lengths == [MOST_GAMES]
