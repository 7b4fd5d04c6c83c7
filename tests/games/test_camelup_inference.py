"""What a player believes about the race cards that others have laid face down."""

import dataclasses
from collections import Counter

import numpy as np
import pytest

import kibitz
from kibitz.games.camelup.forecast import forecast
from kibitz.games.camelup.inference import deals
from kibitz.games.camelup.rules import LOSER, ROLL, WINNER, CamelUp
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream

RULES = ["official", "camelai", "second"]
START = "c_0 starts on 0 c_1 starts on 0 c_2 starts on 0 c_3 starts on 0 c_4 starts on 2"
CRAZY_START = "white starts on 15 black starts on 15"


def begun(rules, names):
    """A table after the camels have lined up, c_4 ahead, and then these moves and rolls."""
    game = CamelUp(rules=rules)
    table = kibitz.Table(game, deal=False)
    name = ""
    for word in f"{START} {CRAZY_START if game.is_second else ''} {names}".split():
        name = f"{name} {word}".strip()
        if name in [table.name(move) for move in table.moves]:
            table.play(table.parse(name))
            name = ""
    assert not name
    return table


def drawn(view, belief, pile=WINNER, place=0, count=2000):
    """How often each camel is on a race card."""
    return Counter(np.asarray(deals(view, count, belief))["pile_camel"][:, pile, place].tolist())


LEAD = "roll c_4 moves 3 roll c_0 moves 1 roll c_1 moves 1 roll c_2 moves 1"


@pytest.mark.parametrize("rules", RULES)
def test_a_hidden_card_probably_names_the_camel_that_had_the_best_odds(rules):
    before = begun(rules, LEAD)
    odds = forecast(before.game, before.state)
    view = begun(rules, f"{LEAD} winner c_2 loser c_1").view(2)
    for pile, chances in ((WINNER, odds.wins), (LOSER, odds.loses)):
        counts = drawn(view, 4.0, pile)
        assert sorted(range(5), key=lambda camel: counts[camel]) == sorted(range(5), key=lambda camel: chances[camel])


def test_without_belief_all_cards_are_equally_likely():
    counts = drawn(begun("official", f"{LEAD} winner c_3").view(2), 0.0)
    assert [counts[camel] for camel in range(5)] == pytest.approx([400] * 5, abs=90)


def test_without_its_history_a_position_tells_nothing_about_cards():
    table = begun("official", f"{LEAD} winner c_3")
    again = kibitz.Table(table.game, deal=False, position=table.state)
    counts = drawn(again.view(2), 4.0)
    assert [counts[camel] for camel in range(5)] == pytest.approx([400] * 5, abs=90)


def test_a_game_from_another_opening_is_recalled_as_far_as_it_fits():
    game = CamelUp()
    with kibitz.plain():
        state = Engine(game).start()
    state.turns = 1
    table = kibitz.Table(game, seed=1, position=state)
    for _ in range(40):
        bets = [move for move in table.moves if move >= game.first_race_bet] if not table.over else []
        if bets:
            table.play(bets[0])
    counts = drawn(table.view(2), 4.0)
    assert sum(counts.values()) == 2000
    assert set(counts) <= set(range(5))


@pytest.mark.parametrize("rules", RULES)
def test_deals_agree_with_all_that_the_player_knows(rules):
    game = CamelUp(rules=rules)
    for seed in range(12):
        table, bot = kibitz.Table(game, seed=seed), kibitz.bot("random", game)
        while not table.over and table.state.turns < 30:
            table.play(bot.choose(table.view(table.turn)))
        if table.over:
            continue
        viewer = table.turn
        view = table.view(viewer)
        for world in np.asarray(deals(view, 20, 4.0)):
            held = [[camel for camel in range(5) if world["cards"][player] >> camel & 1] for player in range(4)]
            for pile in (WINNER, LOSER):
                for i in range(table.state.pile[pile]):
                    owner, camel = table.state.pile_owner[pile, i], int(world["pile_camel"][pile, i])
                    assert world["pile_owner"][pile, i] == owner
                    held[owner].append(camel)
                    if owner == viewer:
                        assert camel == table.state.pile_camel[pile, i]
            assert all(sorted(cards) == list(range(5)) for cards in held)
            assert world["cards"][viewer] == table.state.cards[viewer]
            np.testing.assert_array_equal(world["square"], view.state.square.tolist())


def test_plain_mode_deals_the_same():
    game = CamelUp(players=2, camels=3, squares=7)
    table = kibitz.Table(game, seed=3)
    for _ in range(3):
        table.play(ROLL)
    table.play(game.first_race_bet)

    def worlds():
        view = dataclasses.replace(table.view(table.turn), rng=Stream("deals"))
        return np.asarray(deals(view, 30, 2.0))["pile_camel"][:, WINNER, 0].tolist()

    compiled = worlds()
    with kibitz.plain():
        assert worlds() == compiled
