"""What the check of a program says about mistakes that authors make."""

import pytest
from programs import write_program
from toys import HighCard, Nim

import kibitz
from kibitz.errors import KibitzError
from kibitz.testing.programs import check_program

SHORT = 0.3  # for programs that never answer


@pytest.fixture(autouse=True)
def plain_mode():
    with kibitz.plain():
        yield


def checked(folder, rules=None, **answers):
    return check_program(write_program(folder, **answers), rules or Nim(heap=9))


def test_a_sound_program_has_no_problem(tmp_path):
    report = checked(tmp_path)
    assert not report.problems
    assert (report.name, report.games, report.is_repeatable) == ("first", 4, True)
    assert report.moves >= 8


def test_it_plays_in_all_seats_of_games_with_hidden_information(tmp_path):
    report = checked(tmp_path, HighCard())
    assert (report.games, report.problems) == (5, [])


@pytest.mark.parametrize(
    ("answers", "sentence", "received"),
    [
        ({"hello": "exit 1"}, "crashed: its process exited with code 1.", ""),
        ({"hello": "echo hello"}, "'hello' is not a JSON object. Only answers belong on stdout", "hello"),
        ({"hello": """echo "{\\"id\\":$id}" """}, 'needs a "name" and a "protocol"', '{"id":1}'),
        ({"new_game": ": nothing; echo thinking"}, "'thinking' is not a JSON object", "thinking"),
        ({"move": """echo "{\\"id\\":1,\\"move\\":0}" """}, "its id is 1, not 3, the id of", '{"id":1,"move":0}'),
        ({"move": """echo "{\\"id\\":$id,\\"move\\":7}" """}, "played an illegal move: 7.", '{"id":3,"move":7}'),
        ({"result": "kill -SEGV $$"}, "its process was killed by SIGSEGV.", ""),
        (
            {"result": """echo "{\\"id\\":$id}"; sleep 0.05; echo bye"""},
            "wrote a line that answers no question. Only answers belong on stdout",
            "bye",
        ),
        ({"result": """echo "{\\"id\\":$id}"; exit 4"""}, "After the result, ", '{"id":'),
        ({"other": "exit 1"}, "Answer whatever you do not know with its id alone", ""),
    ],
)
def test_a_mistake_is_named_with_what_was_received(tmp_path, answers, sentence, received):
    problem = checked(tmp_path, **answers).problems[0]
    assert sentence in problem.sentence
    assert problem.sent.startswith('{"type":"')
    assert problem.received.startswith(received)


def test_whoever_forgets_to_flush_is_asked_about_it(tmp_path):
    report = check_program(write_program(tmp_path, move="sleep 1000"), Nim(heap=5), games=1, move_time=SHORT)
    (problem,) = report.problems
    assert "took more than 0.3 s for a move. Does it end every answer with a newline, and flush its output?" in (
        problem.sentence
    )


def test_a_program_that_cannot_be_greeted_is_tried_once(tmp_path):
    report = check_program(write_program(tmp_path, hello="sleep 1000"), Nim(), start_time=SHORT)
    assert (len(report.problems), report.games) == (1, 0)


def test_the_same_problem_is_reported_once(tmp_path):
    assert len(checked(tmp_path, move="exit 1").problems) == 1


def test_a_program_that_plays_the_same_game_differently_is_noted(tmp_path):
    """It takes two instead of one once it has left a file behind."""
    moved = tmp_path / "moved"
    move = f"""echo "{{\\"id\\":$id,\\"move\\":$(ls {moved} 2>/dev/null | wc -l)}}"; """
    result = f""": > {moved}; echo "{{\\"id\\":$id}}" """
    report = check_program(write_program(tmp_path, move=move, result=result), Nim(heap=3), games=2, sandbox="none")
    assert not report.problems
    assert not report.is_repeatable


def test_only_programs_are_checked():
    with pytest.raises(KibitzError, match="uct is not a program"):
        check_program("uct")
