"""Tasks and puzzles over HTTP: what is shown before an attempt, and what is told after it."""

import random
from datetime import date

import pytest
from visitors import serving

from kibitz.analysis.puzzles import shipped_puzzles
from kibitz.rules.registry import find_game
from kibitz.table import Table
from kibitz.web.exercises import Exercise, of_the_day
from kibitz.web.routes.learning import AttemptAnswer, ExerciseAnswer, PuzzleAnswer, PuzzleAttemptAnswer, PuzzlesAnswer


def tried(client, address, name):
    """The answer to a move, by its name."""
    asked = client.http.get(address).json()
    (move,) = [move["move"] for move in asked["moves"] if move["name"] == name]
    return client.http.post(address, json={"move": move}).json()


def test_a_task_is_set_tried_and_judged_by_the_rules(client):
    rules = client.http.get("/api/games/connect_four/rules").json()["lessons"]
    (number,) = [place for place, lesson in enumerate(rules, 1) if lesson["title"] == "The goal"]
    address = f"/api/games/connect_four/lessons/{number}"
    asked = ExerciseAnswer.model_validate(client.http.get(address).json(), strict=True)
    assert asked.words == rules[number - 1]["task"]
    assert [move.name for move in asked.moves] == list("1234567")
    right, wrong = (AttemptAnswer.model_validate(tried(client, address, name), strict=True) for name in "21")
    assert (right.right, wrong.right) == (True, False)
    assert right.scene != wrong.scene


def test_the_solution_of_a_puzzle_is_told_after_the_attempt_only(client):
    address, puzzle = "/api/games/ur/puzzles/1", shipped_puzzles(find_game("ur"))[0]
    PuzzleAnswer.model_validate(asked := client.http.get(address).json(), strict=True)
    assert not {"best", "candidates", "played", "line", "value", "right"} & asked.keys()
    assert str(puzzle.best.value) not in client.http.get(address).text
    right = PuzzleAttemptAnswer.model_validate(tried(client, address, puzzle.best.name), strict=True)
    assert right.right
    wrong = PuzzleAttemptAnswer.model_validate(tried(client, address, puzzle.played), strict=True)
    assert not wrong.right
    assert (wrong.best.name, wrong.chosen.name) == (puzzle.best.name, puzzle.played)
    assert wrong.best.say in wrong.words
    assert wrong.chosen.say.lower() in wrong.words.lower()


def test_what_the_player_cannot_see_makes_no_difference_to_an_exercise():
    """In another deal with the same hand for the player to move, everything looks the same."""
    game = find_game("mexican_train:players=3,hand=5")
    table = Table(game, 5)
    tiles = [ply.move for ply in table.history]
    hidden = tiles[5:]
    random.Random(1).shuffle(hidden)

    def shown(deal):
        again = Table(game, 0, deal=False)
        for tile in deal:
            again.play(tile)
        return Exercise(again).document()

    assert hidden != tiles[5:]
    assert shown([*tiles[:5], *hidden]) == shown(tiles)


def test_todays_puzzle_is_the_same_for_everybody_and_another_one_tomorrow():
    days = [date.fromordinal(738_000 + day) for day in range(24)]
    with serving(today=lambda: days[0]) as client:
        offer = PuzzlesAnswer.model_validate(client.http.get("/api/puzzles").json(), strict=True)
    assert offer.day == days[0].isoformat()
    assert [card.today - 1 for card in offer.games] == [of_the_day(c.name, c.puzzles, days[0]) for c in offer.games]
    assert len({of_the_day("ur", 24, day) for day in (*days, date.fromordinal(738_024))}) == 24


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/api/games/ur/puzzles/1000", 404),
        ("/api/games/ur/puzzles/0", 422),
        ("/api/games/nothing/puzzles/1", 404),
        ("/api/games/nim/puzzles/1", 404),
        ("/api/games/ur/lessons/1", 404),
        ("/api/games/ur/lessons/99", 404),
    ],
)
def test_what_is_not_there_is_refused(client, address, status):
    assert client.http.get(address).status_code == status
    assert client.http.post(address, json={"move": 1}).status_code == status


def test_an_illegal_move_is_refused_with_a_sentence(client):
    answer = client.http.post("/api/games/ur/puzzles/1", json={"move": 999})
    assert answer.status_code == 422
    assert answer.json() == {"error": "This is not a legal move in this position."}
