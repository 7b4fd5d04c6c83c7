"""The end of a leg of Camel Up: everything that is paid adds up."""

import random

import pytest

import kibitz
from kibitz.games.camelup.rolls import is_roll, moved_camels
from kibitz.rules.engine import Engine


def paid(cell):
    """A cell of a summary, such as "+5 −1×3" or "–", as coins."""
    pays = [pay.replace("−", "-").partition("×") for pay in cell.split() if pay != "–"]
    return sum(int(pay) * int(count or 1) for pay, _, count in pays)


@pytest.mark.parametrize("rules", ["official", "second", "camelai"])
def test_what_is_paid_adds_up_to_the_coins(rules):
    legs = 0
    for seed in range(4):
        table, luck = kibitz.Table(f"camelup:players=3,rules={rules}", seed=seed), random.Random(seed)
        while not table.over:
            table.play(luck.choice(table.moves))
        engine = Engine(table.game)
        began = before = engine.start()
        for ply in table.history:
            after = before.copy()
            engine.play(after, ply.move)
            if point := table.board.turning_point(table.game, began, before, ply.move, after):
                legs += 1
                assert point.columns[-1] == "Coins"
                is_forgiven = "Nobody falls below 0 coins." in point.words
                for player, cells in enumerate(point.rows):
                    total = began.coins[player] + sum(map(paid, cells[:-1]))
                    assert int(cells[-1]) == after.coins[player]
                    assert is_forgiven or total == after.coins[player] or after.turn == kibitz.OVER
                began = after
            before = after
    assert legs > 8


def test_a_roll_is_shown_before_the_camels_move():
    table = kibitz.Table("camelup:players=2", seed=3)
    table.play("roll")
    index = len(table.history) - 1
    engine = Engine(table.game)
    before = engine.start()
    for ply in table.history[:index]:
        engine.play(before, ply.move)
    outcome = table.history[index].move
    assert is_roll(before)
    (rolled,) = table.board.steps(table.game, before, outcome, kibitz.NOBODY)
    then = table.board.scene(table.game, before, kibitz.NOBODY)
    (die,) = [piece for piece in rolled.pieces if piece.marked]
    assert die.shapes[-1].text == str(outcome % 3 + 1)
    camels = [[(p.name, p.x, p.y) for p in scene.pieces if p.name.startswith("camel-")] for scene in (rolled, then)]
    assert camels[0] == camels[1]
    assert moved_camels(table.game, before, outcome).square.tolist() == table.state.square.tolist()
