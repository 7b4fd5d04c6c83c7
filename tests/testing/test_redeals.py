"""A redeal that deals what the game would not is caught with the default number of games, whatever the seed."""

import pytest
from faults import fault
from pairs import Forgetful, Kingless, Miscounted, OwnCardTwice, Pairs, ThirdKing, Uneven
from toys import CARDS, UNKNOWN, HighCard, cards_of

import kibitz
from kibitz.rules.contract import game
from kibitz.rules.rng import shuffle
from kibitz.testing import check_game
from kibitz.testing.redeals import reachable_positions
from kibitz.testing.rules import WatchedRules

SEEDS = range(3)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_right_redeal_gives_no_finding(seed):
    assert check_game(Pairs(), seed=seed).findings == []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rules", [ThirdKing(), OwnCardTwice()], ids=repr)
def test_a_card_that_is_dealt_too_often_is_caught(rules, seed):
    fault(rules, "redeal", "contradicts", games=200, seed=seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_card_that_is_never_dealt_is_caught(seed):
    fault(Kingless(), "redeal", "never deals hand[1] = 3 for player 0's view", games=200, seed=seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_cards_that_are_not_dealt_evenly_are_found(seed):
    (finding,) = check_game(Uneven(), seed=seed).findings
    assert finding.method == "redeal"
    assert "Are all deals equally likely?" in finding.sentence


@pytest.mark.parametrize("seed", SEEDS)
def test_a_card_that_was_shown_earlier_must_not_be_forgotten(seed):
    fault(Forgetful(), "redeal", "contradicts", games=200, seed=seed)


def test_a_small_game_is_explored_so_that_no_impossible_position_passes():
    with kibitz.plain():
        known = reachable_positions(WatchedRules(Pairs()))
        assert len(known) == 1 + 3 + 9 * 5 + 24 * 5  # deals, each with who is to act, or how it ended
        assert reachable_positions(WatchedRules(HighCard())) == set()  # too many


def test_a_redeal_that_keeps_the_highest_card_in_the_deck_is_caught_among_many_cards():
    @game
    class TopInTheDeck(HighCard):
        def redeal(self, s, player, rng):
            left = cards_of(s, UNKNOWN, s._pool)
            top = left > 0 and s._pool[left - 1] == CARDS - 1 and s.hand[2] == 2
            shuffle(rng, s._pool, left - 1 if top else left)
            if top:
                s._pool[left - 1] = s._pool[0]
                s._pool[0] = CARDS - 1
            self.hand_out(s, player, rng, left)

        def hand_out(self, s, player, rng, left):
            for i in range(left):
                s.where[s._pool[i]] = 3
            for other in range(3):
                if s.bid[other] == 2:
                    s.bid[other] = rng[0] & 1
                if other != player:
                    for _ in range(s.hand[other]):
                        left -= 1
                        s.where[s._pool[left]] = other

    fault(TopInTheDeck(), "redeal", "never deals where[6]", games=200)


def test_wrong_probabilities_are_not_blamed_on_redeal():
    fault(Miscounted(), "chances", "must be positive and sum to 1")
