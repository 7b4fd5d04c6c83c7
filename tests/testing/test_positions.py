"""Each kind of bug in the rules, planted in a toy game, is caught with a message that names the game and the method."""

import numpy as np
from faults import fault
from toys import Centipede, Chips, DiceRace, Middle, Nim, RandomTree

from kibitz.rules.contract import CHANCE, OVER, game
from kibitz.rules.rng import below
from kibitz.testing import check_game

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

    fault(Crowded(), "moves", "max_moves", "toys.py line")


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

    fault(Overfull(), "play", "200 does not fit", "'winner'", "test_positions.py line")


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


def test_max_outcomes_of_0_in_a_game_with_chance_is_caught():
    @game(runtime=["goal"])
    class Outcomeless(DiceRace):
        @property
        def max_outcomes(self):
            return 0

    fault(Outcomeless(), "play", "s.turn is CHANCE, but max_outcomes is 0")


def test_a_sample_without_chances_is_caught():
    @game
    class Unlisted(Nim):
        def sample(self, s, rng):
            return 0

    fault(Unlisted(), "chances", "is missing")


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


def test_utilities_that_do_not_have_their_sum_are_caught():
    @game
    class Generous(Chips):
        def payoff(self, s, out):
            out[0] = out[1] = 1

    fault(Generous(), "payoff", "the utilities [1.0, 1.0] do not sum to utility_sum = 0.")


def test_a_utility_beyond_its_bounds_is_caught():
    @game
    class Rich(Centipede):
        def payoff(self, s, out):
            out[0] = out[1] = self.max_utility + 1

    fault(Rich(), "payoff", "[8.0, 8.0] is not a number from 0 to 7 for each player")


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


def test_an_urgency_that_is_not_an_integer_is_caught():
    @game
    class Half(Nim):
        def urgency(self, s, move):
            return move / 2

    fault(Half(), "urgency", "must return an integer, not")


def test_noisy_moves_that_are_not_legal_are_caught():
    @game
    class Loud(Nim):
        def noisy_moves(self, s, out):
            out[0] = 2
            return 1

    fault(Loud(), "noisy_moves", "2 is not one of the legal moves")


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
