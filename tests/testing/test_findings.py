"""What breaks no promise but looks like a mistake is found, and sound games give no findings."""

import pytest
from toys import Cups, DiceRace, HighCard, Middle, Nim, RandomTree

import kibitz
from kibitz.rules.contract import OVER, game
from kibitz.testing import check_game


def findings(rules, games=100):
    """What a check in plain mode finds, as text."""
    with kibitz.plain():
        return [f"{finding.method}: {finding.sentence}" for finding in check_game(rules, games=games).findings]


@pytest.mark.parametrize("rules", [Nim(), DiceRace(), HighCard(), Middle(), Cups(), RandomTree()], ids=repr)
def test_a_sound_game_gives_no_findings(rules):
    assert findings(rules, games=60) == []


def test_the_example_gives_no_findings():
    assert findings("examples/chomp.py:Chomp") == []


def test_a_player_who_never_has_a_turn_is_found():
    @game(runtime=("players", "width", "height", "dice", "seed"))
    class Skipped(RandomTree):
        def play(self, s, move):
            RandomTree.play(self, s, move)
            if s.turn == 2:
                s.turn = s.mover = 0

    assert findings(Skipped()) == ["play: player 2 never had a turn in 100 games. Is s.turn set to 2 anywhere?"]


def test_a_player_who_wins_every_game_is_found():
    @game
    class Lucky(Nim):
        def payoff(self, s, out):
            out[0] = 1.0
            out[1] = 0.0

    assert findings(Lucky()) == ["payoff: player 0 won all 100 games. Is the win given to the right player?"]


def test_a_game_without_winners_is_found():
    @game
    class Peaceful(Nim):
        def payoff(self, s, out):
            out[0] = 0.5
            out[1] = 0.5

    assert findings(Peaceful()) == ["payoff: all 100 games were draws. Does the game end when somebody wins?"]


def test_a_player_who_never_wins_is_found():
    @game
    class Unlucky(Nim):
        def payoff(self, s, out):
            out[0] = 1.0 if s.winner == 0 else 0.5
            out[1] = 1.0 - out[0]

    (finding,) = findings(Unlucky())
    assert finding.startswith("payoff: player 1 won none of 100 games; player 0 won ")


def test_a_move_that_is_never_legal_is_found():
    @game
    class Shy(Nim):
        def moves(self, s, out):
            return min(2, Nim.moves(self, s, out))

    assert findings(Shy()) == [
        "moves: the move 2 was never legal in 100 games, but all others often were. Was it forgotten?"
    ]


def test_moves_that_are_never_legal_because_of_their_numbering_are_no_finding():
    @game
    class Sparse(Nim):
        actions = 12

        def moves(self, s, out):
            for i in range(min(3, s.left)):
                out[i] = 4 * i
            return min(3, s.left)

        def play(self, s, move):
            Nim.play(self, s, move // 4)

    assert findings(Sparse()) == []


def test_a_list_of_moves_that_ends_after_the_first_is_found():
    @game
    class Hasty(Nim):
        def moves(self, s, out):
            out[0] = s.left % min(3, s.left)
            return 1

    assert "moves: no position had more than one legal move, but max_moves is 3. Does it return too early?" in findings(
        Hasty()
    )


def test_a_die_without_its_last_face_is_found():
    @game
    class FiveFaces(DiceRace):
        max_outcomes = 6

        def chances(self, s, out, p):
            for face in range(1, 6):
                out[face - 1] = face
                p[face - 1] = 1 / 5
            return 5

    (finding,) = findings(FiveFaces())
    assert finding.startswith("chances: each of ")
    assert finding.endswith("chance events had 5 outcomes, but max_outcomes is 6. Is one missing?")


def test_a_game_that_only_its_limit_ends_is_found():
    @game
    class Endless(Nim):
        heap: int = 21
        max_plies = 50

        def fields(self):
            return [*Nim.fields(self), ("ply", "i1")]

        def play(self, s, move):
            s.ply += 1
            s.winner = move % 2
            s.turn = OVER if s.ply == 50 else 1 - s.turn

    (finding,) = findings(Endless())
    assert finding == "play: all 100 games lasted exactly max_plies = 50 plies. Does nothing else end them?"


def test_a_score_that_the_loser_leads_is_found():
    @game
    class Golf(DiceRace):
        def payoff(self, s, out):
            out[s.mover] = 0.0
            out[1 - s.mover] = 1.0

    (finding,) = findings(Golf())
    assert finding.startswith("score: the lowest score won all ")
    assert finding.endswith("Should score_lower_wins be True, or is payoff reversed?")


def test_an_estimate_that_favours_the_loser_is_found():
    @game
    class Pessimist(DiceRace):
        def evaluate(self, s, out):
            out[s.mover] = 0.5 - s.at[s.mover] / 50
            out[1 - s.mover] = 1.0 - out[s.mover]

    (finding,) = findings(Pessimist())
    assert finding.startswith("evaluate: favours the players who lose")


def test_an_estimate_for_the_player_to_act_instead_of_player_0_is_found():
    @game
    class Selfish(DiceRace):
        def evaluate(self, s, out):
            out[0] = 0.5 + s.at[s.mover] / 50
            out[1] = 1.0 - out[0]

    (finding,) = findings(Selfish())
    assert finding.startswith("evaluate: does not fit the results, unless out[0] is the share of the player to act.")


def test_an_estimate_that_never_changes_is_found():
    @game
    class Indifferent(Nim):
        def evaluate(self, s, out):
            out[0] = 0.5
            out[1] = 0.5

    assert findings(Indifferent()) == ["evaluate: is always 0.5, for all players. Does it look at the position?"]


def test_a_redact_that_hides_nothing_in_an_open_game_is_found():
    @game
    class Open(Nim):
        def redact(self, s, player):
            pass

        def redeal(self, s, player, rng):
            pass

    (finding,) = findings(Open())
    assert finding.startswith("redact: blanked nothing in ")


def test_few_games_give_no_findings():
    @game
    class Lucky(Nim):
        def payoff(self, s, out):
            out[0] = 1.0
            out[1] = 0.0

    assert findings(Lucky(), games=10) == []
