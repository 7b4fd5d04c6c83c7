"""Asking bots for moves: by number or by name; anything else is a fault of a known kind."""

import numpy as np
import pytest
from toys import Nim

import kibitz
from kibitz.errors import BotFault
from kibitz.players.turns import ask, take_turn


class Says:
    def __init__(self, answer):
        self.answer = answer

    def choose(self, view):
        return self.answer


@pytest.fixture(autouse=True)
def in_plain_mode():
    with kibitz.plain():
        yield


@pytest.mark.parametrize("answer", [1, np.int8(1), "take 2", " TAKE  2"])
def test_a_move_is_a_number_or_a_name(answer):
    table = kibitz.Table(Nim())
    assert ask(table.view(0), Says(answer), "bot") == 1
    assert take_turn(table, Says(answer), "bot") == 1
    assert table.history_names == ["take 2"]


@pytest.mark.parametrize("answer", [3, -1, True, 1.0, None, "take 4", "", "1"])
def test_an_illegal_name_is_the_same_fault_as_an_illegal_number(answer):
    table = kibitz.Table(Nim())
    with pytest.raises(BotFault, match="bot played an illegal move") as caught:
        take_turn(table, Says(answer), "bot")
    assert caught.value.kind == "illegal move"
    assert not table.history


def test_an_exception_of_a_bot_is_reported_with_its_line():
    class Boom:
        def choose(self, view):
            return view.mooves[0]

    line = Boom.choose.__code__.co_firstlineno + 1
    with pytest.raises(BotFault, match=f"boom raised AttributeError in test_turns.py line {line}: .* 'mooves'"):
        ask(kibitz.Table(Nim()).view(0), Boom(), "boom")
