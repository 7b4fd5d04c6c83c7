"""Bugs in who knows what, planted in a toy game, are caught."""

from faults import fault
from toys import CARDS, DECK, GONE, HIDDEN, NO_BID, UNKNOWN, HighCard

from kibitz.rules.contract import CHANCE, NOBODY, game


def test_a_redact_that_forgets_the_bids_leaks():
    @game
    class OpenBids(HighCard):
        def redact(self, s, player):
            for card in range(CARDS):
                if s.where[card] != GONE and s.where[card] != player:
                    s.where[card] = UNKNOWN

    error = fault(OpenBids(), "redact or seen", "that has looked the same")
    assert len(error.moves) > 1  # those of the true game, not of its twin


def test_a_redact_that_hides_nothing_leaks():
    @game
    class OpenHands(HighCard):
        def redact(self, s, player):
            pass

    fault(OpenHands(), "redact or seen", "that has looked the same")


def test_a_redact_that_shows_the_next_players_hand_leaks():
    @game
    class Peeking(HighCard):
        def redact(self, s, player):
            neighbour = (player + 1) % 3
            for card in range(CARDS):
                where = s.where[card]
                if where != GONE and where != player and (where != neighbour or player == NOBODY):
                    s.where[card] = UNKNOWN
            for other in range(3):
                if other != player and s.bid[other] != NO_BID:
                    s.bid[other] = HIDDEN

    fault(Peeking(), "redact or seen")


def test_a_leak_through_a_count_is_caught():
    """A field that is computed from hidden information, and not blanked, reveals some of it."""

    @game
    class Counting(HighCard):
        def fields(self):
            return [*HighCard.fields(self), ("bids", "i1")]

        def play(self, s, move):
            HighCard.play(self, s, move)
            if move > CARDS:
                s.bids += 1

    fault(Counting(), "redact or seen", '"bids":')


def test_seen_that_hides_what_the_view_shows_is_caught():
    @game
    class Blind(HighCard):
        def seen(self, s, move, player):
            return move if player == s.turn else -1

    fault(Blind(), "redact or seen")


def test_seen_that_shows_what_redact_hides_is_caught():
    @game
    class Talking(HighCard):
        def seen(self, s, move, player):
            return move

    fault(Talking(), "redeal", "contradicts the moves and outcomes that seen shows player 0")


def test_a_mover_that_does_not_see_its_own_move_is_caught():
    @game
    class Absent(HighCard):
        def seen(self, s, move, player):
            return HighCard.seen(self, s, move, player) if move < CARDS else -1

    fault(Absent(), "seen", "own move")


def test_a_spectator_who_sees_more_than_a_player_is_caught():
    @game
    class Gallery(HighCard):
        def seen(self, s, move, player):
            return move if player == NOBODY else HighCard.seen(self, s, move, player)

    fault(Gallery(), "seen", "shows a spectator")


def test_seen_out_of_range_is_caught():
    @game
    class Encoded(HighCard):
        def seen(self, s, move, player):
            found = HighCard.seen(self, s, move, player)
            return found if found >= 0 else 100

    fault(Encoded(), "seen", "100")


def test_a_redact_that_is_not_idempotent_is_caught():
    @game
    class Counter(HighCard):
        def redact(self, s, player):
            HighCard.redact(self, s, player)
            s.tricks[0] += 1

    fault(Counter(), "redact", "called on it again")


def test_a_view_that_hides_more_from_a_player_than_from_a_spectator_is_caught():
    @game
    class Shy(HighCard):
        def redact(self, s, player):
            HighCard.redact(self, s, player)
            if player != NOBODY:
                s.tricks[:] = 0

    fault(Shy(), "redact", "spectator")


def test_a_redeal_that_takes_the_players_own_cards_is_caught():
    @game
    class Robbing(HighCard):
        def redeal(self, s, player, rng):
            HighCard.redeal(self, s, player, rng)
            for card in range(CARDS):
                if s.where[card] == player:
                    s.where[card] = (player + 1) % 3

    fault(Robbing(), "redeal", "does not fit")


def test_a_redeal_that_leaves_the_blanks_is_caught():
    @game
    class Lazy(HighCard):
        def redeal(self, s, player, rng):
            pass

    fault(Lazy(), "redeal", "contradicts")


def test_a_redeal_that_cannot_be_played_on_is_caught():
    @game
    class Idle(HighCard):
        def redeal(self, s, player, rng):
            if player != NOBODY or s.turn == CHANCE:  # a spectator's possible deals are too many to check
                HighCard.redeal(self, s, player, rng)

    fault(Idle(), "redeal", "cannot be played on: moves")


def test_a_redeal_that_deals_too_few_cards_is_caught():
    @game
    class Stingy(HighCard):
        def redeal(self, s, player, rng):
            HighCard.redeal(self, s, player, rng)
            for card in range(CARDS):
                if s.where[card] != player and s.where[card] < DECK and s.turn != CHANCE and s.laid[0] < 0:
                    s.where[card] = DECK
                    break

    fault(Stingy(), "redeal", "contradicts")


def test_a_redeal_that_ignores_what_a_move_revealed_is_caught():
    """In this variant, only a player with one of the three highest cards may bid to take a trick."""

    @game
    class Telling(HighCard):
        def seen(self, s, move, player):
            return move if s.turn != CHANCE else HighCard.seen(self, s, move, player)

        def moves(self, s, out):
            count = HighCard.moves(self, s, out)
            high = any(s.where[card] == s.turn for card in range(CARDS - 3, CARDS))
            return count if high or s.bid[s.turn] != NO_BID else 1

        def redact(self, s, player):
            bids = s.bid.tolist()
            HighCard.redact(self, s, player)
            s.bid[:] = bids

    fault(Telling(), "redeal", "contradicts")


def test_a_redeal_that_is_always_the_same_is_caught():
    @game
    class Unshuffled(HighCard):
        def redeal(self, s, player, rng):
            kept = rng[0], rng[1]
            rng[0] = 1
            rng[1] = 2
            HighCard.redeal(self, s, player, rng)
            rng[0], rng[1] = kept

    fault(Unshuffled(), "redeal", "in the same way each time")
