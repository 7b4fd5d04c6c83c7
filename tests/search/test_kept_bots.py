"""Bots that are kept from move to move, as at every table."""

import pytest

import kibitz


@pytest.mark.parametrize("spec", ["alphabeta:nodes=3000", "alphabeta:depth=4"])
def test_a_kept_bot_keeps_searching_after_its_first_move(spec):
    rules = kibitz.game("connect_four")
    kept, table = kibitz.bot(spec, rules), kibitz.Table(rules)
    for move in (3, 3, 3, 0, 3, 0, 2, 0, 0, 0, 4):
        if table.turn == 1:
            fresh = kibitz.bot(spec, rules).analyse(table.view(1))
            assert kept.analyse(table.view(1)).depth >= min(fresh.depth, 4)
        table.play(move)
