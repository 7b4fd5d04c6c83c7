"""The rules of a game, called from Python."""

from toys import DiceRace

import kibitz
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream


def played(engine):
    """A game of first moves, with the engine's own luck."""
    state, luck = engine.start(), Stream(1)
    while state.turn != kibitz.OVER:
        is_chance = state.turn == kibitz.CHANCE
        engine.play(state, engine.draw(state, luck) if is_chance else engine.moves(state)[0])
    return state, engine.payoff(state)


def test_an_engine_keeps_its_mode_where_another_one_is_current():
    game, again = DiceRace(goal=4), DiceRace(goal=4)  # neither has bound a method yet
    with kibitz.plain():
        made_in_plain_mode = Engine(game)
    expected = played(made_in_plain_mode)
    compiled = Engine(again)
    with kibitz.plain():
        assert played(compiled) == expected
