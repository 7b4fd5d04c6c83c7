"""`learner`, which keeps learning from game to game."""

import kibitz
from kibitz.games.ur.rules import Ur
from kibitz.learn import learner as module
from kibitz.learn.brain_tree import SIZE
from kibitz.learn.learner import Learner

TWO = Ur(pieces=2)


def play(bot, seed, won):
    """Play one move, then tell the bot that it has won or lost."""
    table = kibitz.Table(TWO, seed=seed)
    move = bot.choose(table.view(table.turn))
    bot.game_over(table.view(0), [won, 1 - won])
    return move


def test_every_game_adds_a_brain():
    bot = Learner()
    for game in range(5):
        play(bot, game, 1.0)
    tree = bot._brains.tree
    assert tree.place[SIZE] == 6
    assert tree.games[0] == 5
    assert tree.wins[0] == 5


def test_the_tree_grows_beyond_its_initial_capacity(monkeypatch):
    monkeypatch.setattr(module, "FIRST_ROOM", 4)
    small = Learner(seed=1)
    for game in range(30):
        play(small, game, game % 2)
    monkeypatch.undo()
    large = Learner(seed=1)
    for game in range(30):
        play(large, game, game % 2)
    for a, b in zip(small._brains.tree[:6], large._brains.tree[:6], strict=True):
        assert a[:31].tolist() == b[:31].tolist()


def test_it_learns_in_a_match_and_the_match_is_reproducible_with_any_number_of_workers():
    first, second = (kibitz.arena(TWO, ["learner", "random"], games=40, seed=2, workers=workers) for workers in (1, 2))
    assert first.pair(0, 1) == second.pair(0, 1)
    assert first.tally.decisions == second.tally.decisions
    other = kibitz.arena(TWO, ["learner:seed=1", "random"], games=40, seed=2)
    assert other.tally.decisions != first.tally.decisions


def test_only_games_that_describe_their_positions_can_be_learned():
    assert "learner" in kibitz.players.roster.bots_for(TWO)
    assert Learner.misfit(kibitz.game("connect_four")) is not None
