"""Each kind of bug, planted in a toy game, is caught with a message that names the game and the method."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from toys import (
    CARDS,
    DECK,
    GONE,
    HIDDEN,
    NO_BID,
    UNKNOWN,
    DiceBoard,
    DiceRace,
    HighCard,
    Middle,
    Nim,
    NimBoard,
    RandomTree,
    SampledDiceRace,
)

import kibitz
from kibitz import testing
from kibitz.compiler import bounds_checked, compiled, mode
from kibitz.errors import ContractError, RulesError
from kibitz.rules.contract import CHANCE, NOBODY, OVER, game
from kibitz.rules.rng import below
from kibitz.state import State
from kibitz.testing import check_game


def fault(rules, method, *words):
    """Check a game that must not pass; return its error, which names the game, the method and what is wrong."""
    with pytest.raises(ContractError) as caught:
        check_game(rules, games=60)
    message = str(caught.value)
    assert message.startswith(f"{type(rules).__name__}.{method}: ")
    for word in words:
        assert word in message
    return caught.value


# ------------------------------------------------------------------ games that keep the contract


@pytest.mark.parametrize(
    "rules",
    [Nim(), DiceRace(), SampledDiceRace(), HighCard(), Middle(), RandomTree(dice=True), kibitz.game("connect_four")],
    ids=repr,
)
def test_a_sound_game_passes_and_is_counted(rules):
    checked = check_game(rules, games=60)
    assert checked.games == 60
    assert 0 < checked.longest <= rules.max_plies
    assert checked.plies == checked.choices + checked.chances
    assert 1 <= checked.branching <= checked.most_moves <= rules.max_moves
    assert bool(checked.chances) == rules.has_chance
    assert bool(checked.views) == rules.has_hidden_information
    assert checked.compared > 100


def test_fewer_games_are_interpreted_if_they_are_long(monkeypatch):
    short = check_game(DiceRace(), games=10)
    monkeypatch.setattr(testing, "PLAIN_PLIES", 1)
    long = check_game(DiceRace(), games=10)
    assert 0 < long.compared < short.compared
    assert (long.games, long.plies) == (short.games, short.plies)


def test_a_check_is_reproducible_and_takes_a_spec():
    with kibitz.plain():
        first = check_game("connect_four:columns=4,rows=3", games=5, seed=3)
        assert first == check_game(kibitz.game("connect_four", columns=4, rows=3), games=5, seed=3)
        assert first != check_game(kibitz.game("connect_four", columns=4, rows=3), games=5, seed=4)
    assert first.game == "connect_four:columns=4,rows=3"


def test_progress_counts_up_to_the_total():
    steps = []
    with kibitz.plain():
        check_game(Nim(), games=4, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_an_error_leads_back_to_the_position():
    @game
    class Stuck(Nim):
        def moves(self, s, out):
            return 0 if s.left == 1 else Nim.moves(self, s, out)

    error = fault(Stuck(heap=9), "moves", "wrote 0")
    table = kibitz.Table(Nim(heap=9))
    for move in error.moves:
        table.play(move)
    assert table.state == State.from_text(error.position, table.game.dtype)
    assert error.position in str(error)


# ------------------------------------------------------------------ facts, moves and play


def test_facts_must_be_integers():
    @game
    class Half(Nim):
        max_moves = 1.5

    fault(Half(), "max_moves", "1.5")


def test_a_game_with_chances_must_say_how_many():
    @game
    class Silent(Nim):
        def chances(self, s, out, p):
            return 0

    fault(Silent(), "max_outcomes")


def test_a_move_listed_twice_is_caught():
    @game
    class Twice(Nim):
        def moves(self, s, out):
            out[0] = 0
            out[1] = 0
            return 2

    fault(Twice(), "moves", "0 is listed twice")


def test_a_move_number_out_of_range_is_caught():
    @game
    class Beyond(Nim):
        actions = 2

    fault(Beyond(), "moves", "2 is not a move number from 0 to 1")


def test_a_count_without_its_moves_is_caught():
    @game
    class Unwritten(Nim):
        def moves(self, s, out):
            return 1

    fault(Unwritten(), "moves", "-1 is not a move number")


def test_more_moves_than_max_moves_are_caught():
    @game
    class Crowded(Nim):
        max_moves = 2

    fault(Crowded(), "moves", "beyond an array", "toys.py line")


def test_a_count_that_is_not_a_number_is_caught():
    @game
    class Mute(Nim):
        def moves(self, s, out):
            Nim.moves(self, s, out)

    fault(Mute(), "moves", "must return the number", "None")


def test_moves_that_change_the_state_are_caught():
    @game
    class Meddling(Nim):
        def moves(self, s, out):
            s.winner = 1
            return Nim.moves(self, s, out)

    fault(Meddling(), "moves", "changes the state")


def test_moves_that_depend_on_scratch_are_caught():
    @game
    class Scratchy(Nim):
        def fields(self):
            return [*Nim.fields(self), ("_kept", "i1")]

        def play(self, s, move):
            Nim.play(self, s, move)
            s._kept = move

        def moves(self, s, out):
            out[0] = 0
            return 1 if s._kept else Nim.moves(self, s, out)

    fault(Scratchy(), "moves", "scratch")


def test_a_key_that_depends_on_scratch_is_caught():
    @game
    class Keyed(Nim):
        def fields(self):
            return [*Nim.fields(self), ("_kept", "i1")]

        def play(self, s, move):
            Nim.play(self, s, move)
            s._kept = 1

        def key(self, s):
            return s.left + s._kept

    fault(Keyed(), "key", "differs for equal positions")


def test_a_turn_that_is_nobodys_is_caught():
    @game
    class Third(Nim):
        def play(self, s, move):
            Nim.play(self, s, move)
            if s.turn != OVER:
                s.turn = 2

    fault(Third(), "play", "s.turn is 2")


def test_an_opening_for_nobody_is_caught():
    @game
    class Nowhere(Nim):
        def start(self, s):
            s.turn = 7

    fault(Nowhere(), "start", "s.turn is 7")


def test_chance_in_a_game_without_outcomes_is_caught():
    @game
    class Windy(Nim):
        def start(self, s):
            s.left = 5
            s.turn = CHANCE

    fault(Windy(), "start", "s.turn is CHANCE, but the rules have no method chances(self, s, out, p)")


CALLS = [0]


def test_play_that_is_not_deterministic_is_caught():
    @game
    class Moody(Nim):
        def play(self, s, move):
            CALLS[0] += 1
            Nim.play(self, s, move)
            s.winner = CALLS[0] % 2

    fault(Moody(), "play", "depends on chance")


def test_an_opening_that_changes_is_caught():
    @game
    class Fickle(Nim):
        def start(self, s):
            CALLS[0] += 1
            s.left = 10 + CALLS[0] % 2

    fault(Fickle(), "start", "the same opening")


def test_a_game_that_does_not_end_is_caught():
    @game
    class Endless(Nim):
        def play(self, s, move):
            s.turn = 1 - s.turn

    fault(Endless(), "play", "not over after max_plies = 21")


def test_an_overflow_is_caught_with_its_line():
    @game
    class Overfull(Nim):
        def play(self, s, move):
            Nim.play(self, s, move)
            s.winner = 200

    fault(Overfull(), "play", "200 does not fit", "'winner'", "test_testing.py line")


def test_a_misspelt_field_is_caught_with_the_real_ones():
    @game
    class Misspelt(Nim):
        def play(self, s, move):
            s.letf -= move

    fault(Misspelt(), "play", "no field 'letf'", "left")


def test_an_index_out_of_range_is_caught():
    @game
    class TooFar(DiceRace):
        def advance(self, s, squares):
            s.at[2 + s.mover] += squares

    fault(TooFar(), "play", "beyond an array")


def test_play_that_writes_outside_its_record_is_caught():
    @game
    class Reaching(Nim):
        def play(self, s, move):
            Nim.play(self, s, move)
            s.record.base["winner"] = 1  # of every record in the same memory

    fault(Reaching(), "play", "beyond the record")


# ------------------------------------------------------------------ chance


def test_chance_that_is_said_to_come_first_must_not_come_later():
    @game
    class Premature(DiceRace):
        chance_first = True

    fault(Premature(), "play", "chance_first is True")


def test_a_variant_without_chance_may_say_so():
    @game
    class Calm(Nim):
        @property
        def max_outcomes(self):
            return 0

        def chances(self, s, out, p):
            return 0

    assert check_game(Calm(), games=5).chances == 0


def test_probabilities_that_do_not_sum_to_1_are_caught():
    @game
    class Loaded(DiceRace):
        def chances(self, s, out, p):
            count = DiceRace.chances(self, s, out, p)
            p[0] = 0.5
            return count

    fault(Loaded(), "chances", "sum to 1")


def test_an_impossible_outcome_is_caught():
    @game
    class Ghost(DiceRace):
        def chances(self, s, out, p):
            out[0] = 1
            p[0] = 1.0
            out[1] = 2
            p[1] = 0.0
            return 2

    fault(Ghost(), "chances", "must be positive")


def test_an_outcome_listed_twice_is_caught():
    @game
    class Double(DiceRace):
        def chances(self, s, out, p):
            count = DiceRace.chances(self, s, out, p)
            out[0] = 2
            return count

    fault(Double(), "chances", "2 is listed twice")


def test_a_negative_outcome_is_caught():
    @game
    class Negative(DiceRace):
        def chances(self, s, out, p):
            out[0] = -3
            p[0] = 1.0
            return 1

    fault(Negative(), "chances", "-3 is not an outcome")


def test_a_sample_with_wrong_odds_is_caught():
    @game
    class FairDie(DiceRace):
        def sample(self, s, rng):
            return 1 + below(rng, self.faces)

    fault(FairDie(), "sample", "but `chances` says")


def test_a_sample_of_something_not_listed_is_caught():
    @game
    class Zero(DiceRace):
        def sample(self, s, rng):
            return below(rng, self.faces + 1)

    fault(Zero(), "sample", "draws 0, which `chances` does not list")


# ------------------------------------------------------------------ payoffs and evaluations


def test_payoffs_that_do_not_sum_to_1_are_caught():
    @game
    class Generous(Nim):
        def payoff(self, s, out):
            out[0] = 0.75
            out[1] = 0.75

    fault(Generous(), "payoff", "do not sum to 1")


def test_a_payoff_below_0_is_caught():
    @game
    class ZeroSum(Nim):
        def payoff(self, s, out):
            out[0] = 2.0
            out[1] = -1.0

    fault(ZeroSum(), "payoff", "from 0 to 1")


def test_a_share_left_out_is_caught():
    @game
    class Forgetful(Nim):
        def payoff(self, s, out):
            out[0] = 1.0

    fault(Forgetful(), "payoff", "nan")


def test_an_evaluation_above_1_is_caught():
    @game
    class Boastful(Nim):
        def evaluate(self, s, out):
            out[0] = 1.5
            out[1] = 0.0

    fault(Boastful(), "evaluate", "1.5")


def test_an_infinite_score_is_caught():
    @game
    class Infinite(DiceRace):
        def score(self, s, out):
            out[0] = np.inf
            out[1] = 0.0

    fault(Infinite(), "score", "finite")


# ------------------------------------------------------------------ methods for multi-player searches


def test_a_reply_that_gives_the_turn_to_someone_else_is_caught():
    @game(runtime=("players", "width", "height", "dice", "seed"))
    class Skipping(RandomTree):
        def reply(self, s, player):
            s.turn = (player + 1) % self.players
            return True

    fault(Skipping(), "reply", "gives the turn to")


def test_a_reply_that_is_refused_must_change_nothing():
    @game(runtime=("players", "width", "height", "dice", "seed"))
    class HalfDone(RandomTree):
        def reply(self, s, player):
            s.turn = player
            return False

    fault(HalfDone(), "reply", "though it returns False")


def test_a_legal_move_that_does_not_seem_possible_is_caught():
    @game
    class Blind(Middle):
        def possible(self, s, player):
            for other in range(3):
                if other != player:
                    s.holds[other, 0] = 1

    fault(Blind(), "possible", "leaves out", "which is legal")


def test_an_own_move_that_is_not_legal_must_not_seem_possible():
    @game
    class Hopeful(Middle):
        def possible(self, s, player):
            for other in range(3):
                s.holds[other, :] = 1

    fault(Hopeful(), "possible", "the illegal move")


# ------------------------------------------------------------------ names and texts


def test_two_moves_with_the_same_name_are_caught():
    class Same(NimBoard):
        def name(self, game, s, move):
            return "TAKE" if move else "take"

    @game
    class Alike(Nim):
        board = Same

    fault(Alike(), "board.name", "0 and 1 are both called 'TAKE'")


def test_a_name_that_does_not_parse_back_is_caught():
    class Spaced(NimBoard):
        def name(self, game, s, move):
            return f"take  {move}"

    @game
    class Wide(Nim):
        board = Spaced

    fault(Wide(), "board.name", "does not parse back")


def test_an_empty_name_is_caught():
    class Blank(NimBoard):
        def name(self, game, s, move):
            return " "

    @game
    class Nameless(Nim):
        board = Blank

    fault(Nameless(), "board.name", "one line of text")


def test_outcomes_with_the_same_name_are_caught():
    class Vague(DiceBoard):
        def name(self, game, s, move):
            return "rolled" if s.turn == CHANCE else DiceBoard.name(self, game, s, move)

    @game
    class VagueDice(DiceRace):
        board = Vague

    fault(VagueDice(), "board.name", "both called 'rolled'")


def test_a_board_that_raises_is_caught():
    class Broken(NimBoard):
        def text(self, game, s, last=None):
            return s.nothing

    @game
    class Undrawn(Nim):
        board = Broken

    fault(Undrawn(), "board.text", "no field 'nothing'")


def test_text_that_is_not_valid_markup_is_caught():
    class Unbalanced(NimBoard):
        def text(self, game, s, last=None):
            return "[/red] heap"

    @game
    class Garbled(Nim):
        board = Unbalanced

    fault(Garbled(), "board.text", "markup")


# ------------------------------------------------------------------ hidden information


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


# ------------------------------------------------------------------ compiled and plain


def test_rules_that_behave_differently_compiled_are_caught():
    @game
    class Wrapping(Nim):
        def start(self, s):
            big = 3037000500 + self.heap  # its square fits into a Python int, but not into a machine word
            s.left = 10 if big * big > 0 else 20

    fault(Wrapping(), "start", " compiled, but ", "in plain mode")


def test_a_mistake_that_only_the_compiler_sees_is_reported_with_method_and_line():
    @game
    class Untyped(Nim):
        def start(self, s):
            s.left = sorted({self.heap: None}, reverse=True, key=lambda heap: str(heap))[0]

    with pytest.raises(RulesError, match=r"Untyped.start, test_testing.py line \d+"):
        check_game(Untyped())


@compiled
def beyond(numbers):
    return numbers[len(numbers)]


def test_compiled_code_with_bounds_checks_raises_an_index_error():
    with bounds_checked(), pytest.raises(IndexError):
        beyond(np.zeros(3, "i8"))


CHECKED_AFTER_UNCHECKED = """
import numpy as np
from kibitz.compiler import bounds_checked, compiled, mode

def peek(cells, i):
    return cells[i]

@compiled
def read(cells, i):
    return peek(cells, i)

cells = np.zeros(3, "i8")
read(cells, 3)
with bounds_checked():
    assert mode() == "checked"
    try:
        read(cells, 3)
    except IndexError:
        print("caught")
assert mode() == "compiled"
read(cells, 3)
"""


def test_bounds_checks_reach_functions_that_were_compiled_without_them():
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_BOUNDSCHECK"}
    ran = subprocess.run(
        [sys.executable, "-c", CHECKED_AFTER_UNCHECKED], env=environment, capture_output=True, text=True
    )
    assert ran.stdout == "caught\n", ran.stderr


def test_with_numbas_own_switch_all_code_is_already_checked():
    with bounds_checked():
        assert mode() == "compiled"
    assert Path(os.environ["KIBITZ_CACHE"]).is_dir()
