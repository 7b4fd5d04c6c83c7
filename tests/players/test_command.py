"""Programs in any language: what they are told, what they may answer, and whose fault it is."""

import json
import re
import shutil
from pathlib import Path

import pytest
from processes import LONG
from programs import write_program
from toys import HighCard, Nim

import kibitz
from kibitz import SpecError, Table
from kibitz.errors import BotFault
from kibitz.players.command import PROTOCOL, CommandBot
from kibitz.players.roster import resolve
from kibitz.players.seating import Players, Terms, check_strangers, make_player
from kibitz.players.turns import ask, take_turn, tell_end, view_for
from kibitz.rules.contract import game
from kibitz.sandbox.pipes import ProcessEnding
from kibitz.version import VERSION

SHORT = 0.3  # for programs that never answer


@pytest.fixture(autouse=True)
def plain_mode():
    with kibitz.plain():
        yield


class Program:
    """A channel to a program that answers at once; it keeps all questions."""

    ending = ProcessEnding(None)

    def __init__(self, **answers):
        self.answers = answers  # by type: more fields, or bytes
        self.lines = []
        self.closed = False

    def send(self, line, seconds):
        assert line.endswith(b"}\n")
        self.lines.append(line)

    @property
    def questions(self):
        return [json.loads(line) for line in self.lines]

    def receive(self, seconds):
        question = self.questions[-1]
        defaults = {"hello": {"name": "Test", "protocol": PROTOCOL}, "move": {"move": question.get("moves", [0])[0]}}
        answer = self.answers.get(question["type"], defaults.get(question["type"], {}))
        if callable(answer):
            answer = answer(question)
        return answer if isinstance(answer, bytes) else json.dumps({"id": question["id"], **answer}).encode()

    def close(self):
        self.closed = True


def seated(rules=None, move_time=LONG, **answers):
    """A bot and its program, which is not a process."""
    program = Program(**answers)
    return CommandBot("cmd:test", ["sh"], rules or Nim(), lambda: program, move_time), program


def play(table, *players):
    while not table.over:
        take_turn(table, players[table.turn], "")
    tell_end(table, dict(enumerate(players)), table.payoff())


def fault_of(bot, table=None):
    table = table or Table(Nim())
    with pytest.raises(BotFault) as caught:
        ask(view_for(bot, table, table.turn), bot, "")
    return caught.value.kind, str(caught.value)


# ------------------------------------------------------------------ what a program is told


def test_a_game_from_hello_to_the_result():
    bot, program = seated()
    table = Table(Nim(heap=3), seed=5, seats=["cmd:test", "random"])
    play(table, bot, kibitz.bot("random", table.game))
    hello, new_game, first, *_, result = program.questions
    assert hello == {"type": "hello", "id": 1, "protocol": PROTOCOL, "kibitz": VERSION}
    seed = new_game.pop("seed")
    assert 0 <= seed < 2**53
    assert new_game == {
        "type": "new_game",
        "id": 2,
        "game": "Nim:heap=3",
        "variant": {"heap": 3},
        "players": 2,
        "seats": ["player 1", "player 2"],
        "seat": 0,
        "move_time": LONG,
    }
    assert first == {
        "type": "move",
        "id": 3,
        "time": LONG,
        "moves": [0, 1, 2],
        "names": ["take 1", "take 2", "take 3"],
        "known": 0,
        "plies": [],
        "position": {"left": 3, "turn": 0, "winner": 0},
        "text": "left = 3\nturn = 0\nwinner = 0",
    }
    assert (result["type"], result["payoffs"], result["scores"]) == ("result", table.payoff(), table.score())
    assert result["bots"] == ["cmd:test", "random"]
    assert result["position"]["left"] == 0
    assert program.closed


def test_a_ply_is_told_once_by_name():
    bot, program = seated()
    table = Table(Nim(heap=8))
    play(table, bot, kibitz.bot("random", table.game))
    told = [ply for question in program.questions[2:] for ply in question["plies"]]
    assert [(ply["seat"], ply["move"]) for ply in told] == list(table.history)
    assert [ply["name"] for ply in told] == table.history_names
    for question in program.questions[3:]:
        assert question["known"] + len(question["plies"]) <= len(table.history)


def test_after_moves_were_taken_back_a_program_is_told_everything_again():
    bot, program = seated()
    table = Table(Nim())
    for move in (0, 1):
        table.play(move)
    take_turn(table, bot, "")
    table.undo()
    table.undo()
    table.play(2)
    take_turn(table, bot, "")
    assert (program.questions[-1]["known"], len(program.questions[-1]["plies"])) == (0, 2)
    assert program.questions[-1]["plies"][-1]["name"] == "take 3"


def dealt(*cards):
    table = Table(HighCard(), deal=False)
    for card in cards:
        table.play(card)
    return table


def test_what_a_seat_may_not_know_is_not_told():
    """For two deals that differ in the hands of others, but not in what player 0 has seen, no byte differs."""
    told = []
    for cards, bids in (((0, 1, 2, 3, 4, 5), (7, 7, 7)), ((0, 6, 5, 3, 2, 1), (7, 8, 7))):
        table = dealt(*cards)
        bot, program = seated(HighCard())
        ask(view_for(bot, table, 0), bot, "")
        for bid in bids:
            table.play(bid)
        ask(view_for(bot, table, 0), bot, "")
        told.append([line for line in program.lines if b'"type":"move"' in line])
    assert len(told[0]) == 2
    assert told[0] == told[1]
    assert "deal 0" in [ply["name"] for ply in json.loads(told[0][0])["plies"]]


def test_the_seed_is_that_of_the_seat_and_the_game():
    def seed(seat, number):
        table = Table(Nim(), seed=1, number=number)
        for _ in range(seat):
            table.play(0)
        bot, program = seated()
        take_turn(table, bot, "")
        return program.questions[1]["seed"]

    assert seed(0, 0) == seed(0, 0)
    assert len({seed(0, 0), seed(1, 0), seed(0, 1)}) == 3


def test_a_program_that_reads_no_text_is_sent_none():
    bot, program = seated(hello={"name": "x", "protocol": PROTOCOL, "text": False})
    take_turn(Table(Nim()), bot, "")
    assert "text" not in program.questions[-1]
    assert "position" in program.questions[-1]


def test_numbers_that_json_does_not_know_are_null():
    @game
    class Drifting(Nim):
        def fields(self):
            return [("left", "i2"), ("turn", "i1"), ("winner", "i1"), ("drift", "f8")]

        def start(self, s):
            s.left = 3
            s.drift = float("nan")

    bot, program = seated(Drifting())
    take_turn(Table(Drifting()), bot, "")
    assert b"NaN" not in program.lines[-1].split(b'"text"')[0]
    assert program.questions[-1]["position"]["drift"] is None


def test_a_fault_of_another_ends_the_game_without_a_score():
    bot, program = seated()
    table = Table(Nim())
    take_turn(table, bot, "")
    tell_end(table, {0: bot}, [1.0, 0.0])
    assert (program.questions[-1]["payoffs"], program.questions[-1]["scores"]) == ([1.0, 0.0], None)


def test_every_game_has_a_new_process():
    started = []

    def start():
        started.append(Program())
        return started[-1]

    bot = CommandBot("cmd:test", ["sh"], Nim(), start, LONG)
    for _ in range(2):
        bot.new_game()
        play(Table(Nim()), bot, kibitz.bot("random", Nim()))
    assert [program.closed for program in started] == [True, True]
    assert [program.questions[0]["id"] for program in started] == [1, 1]


def test_before_a_tournament_a_program_makes_moves_that_do_not_count():
    bot, program = seated()
    bot.check()
    assert [question["type"] for question in program.questions] == ["hello", "new_game", "move", "move"]
    assert program.closed


# ------------------------------------------------------------------ what it may answer


@pytest.mark.parametrize("move", [2, "take 3", " Take  3 "])
def test_a_move_is_given_by_number_or_by_name(move):
    bot, _ = seated(move={"move": move, "thought": ["a field that nobody knows"]})
    assert ask(view_for(bot, Table(Nim()), 0), bot, "") == 2


@pytest.mark.parametrize("move", [3, -1, 10**30, "take 4", "2", "", None, True, 1.0, [1], {"move": 1}])
def test_an_illegal_move_is_a_fault_of_its_own_kind(move):
    bot, _ = seated(move={"move": move})
    kind, words = fault_of(bot)
    assert kind == "illegal move"
    assert words.startswith("cmd:test played an illegal move: ")


def test_a_program_can_report_an_error():
    bot, _ = seated(move={"error": "no\x1b[31m book"})
    assert fault_of(bot) == ("exception", "cmd:test reported an error: no [31m book")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"", "'' is not a JSON object"),
        (b"thinking \x1b[1m...", "'thinking  [1m...' is not a JSON object"),
        (b"[3]", "'[3]' is not a JSON object"),
        (b"\xff\xfe", "is not a JSON object"),
        (b"[" * 8000, "is not a JSON object"),
        (b'{"id":3}', 'the answer to "move" needs a "move"'),
        (b'{"move":1}', "its id is None, not 3, the id of the question"),
        (b'{"id":2,"move":1}', "its id is 2, not 3, the id of the question"),
        (b'{"id":4,"move":1}', "its id is 4, not 3"),
        (b'{"id":3.0,"move":1}', "its id is 3.0, not 3"),
        (b'{"id":"3","move":1}', "its id is '3', not 3"),
    ],
)
def test_a_malformed_reply_ends_the_process(answer, words):
    bot, program = seated(move=answer)
    kind, message = fault_of(bot)
    assert kind == "crash"
    assert message.startswith("cmd:test crashed: its process sent a malformed reply: ")
    assert words in message
    assert program.closed


def test_the_late_answer_to_one_question_is_not_taken_for_the_next():
    late = iter([b'{"id":3,"move":0}', b'{"id":3,"move":0}'])
    bot, _ = seated(move=lambda question: next(late))
    table = Table(Nim())
    take_turn(table, bot, "")
    table.play(0)
    assert fault_of(bot, table)[0] == "crash"


@pytest.mark.parametrize(
    ("hello", "sentence"),
    [
        ({}, 'the answer to "hello" needs a "name" and a "protocol"'),
        ({"name": 3, "protocol": 1}, 'needs a "name" and a "protocol"'),
        ({"name": "x", "protocol": 2}, "it speaks version 2 of the protocol, but this is version 1"),
        ({"name": "x", "protocol": 10**400}, "it speaks version 1000"),
        (b"hello", "'hello' is not a JSON object"),
    ],
)
def test_a_program_that_does_not_know_the_protocol_is_refused_before_anything_is_played(hello, sentence):
    bot, program = seated(hello=hello)
    with pytest.raises(SpecError) as caught:
        bot.check()
    assert sentence in str(caught.value)
    assert program.closed


def test_nothing_that_happens_after_the_end_matters():
    bot, program = seated(result=b"garbage")
    play(Table(Nim()), bot, kibitz.bot("random", Nim()))
    assert program.closed


# ------------------------------------------------------------------ processes


def player_for(spec, rules=None, **terms):
    return make_player(resolve(spec, rules or Nim()), Terms(**{"move_time": LONG, **terms}))


def program_for(tmp_path, move_time=LONG, **answers):
    return player_for(write_program(tmp_path, **answers), move_time=move_time)


def test_a_program_plays_a_game(tmp_path):
    with program_for(tmp_path) as bot:
        table = Table(Nim(), seed=1)
        play(table, bot, kibitz.bot("random", Nim()))
        assert all(move == 0 for turn, move in table.history if turn == 0)
        assert bot.name == "first"


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        ("exec sleep 1000", "timeout", "took more than 0.3 s for a move"),
        ("exit 3", "crash", "crashed: its process exited with code 3"),
        ("kill -SEGV $$", "crash", "crashed: its process was killed by SIGSEGV"),
        ("while :; do printf 0123456789; done", "crash", "crashed: its process sent an endless reply"),
        ("exec >&-; exec sleep 1000", "crash", "crashed: its process closed its output"),
        ("echo 'no book' >&2; exit 3", "crash", "crashed: its process exited with code 3; its last words: no book"),
    ],
)
def test_a_program_that_hangs_or_crashes_loses_one_game_and_plays_the_next(tmp_path, answer, kind, words):
    bot = program_for(tmp_path, SHORT if kind == "timeout" else LONG, move=answer)
    with bot:
        bot.ready()
        assert fault_of(bot) == (kind, f"{bot.spec} {words}.")
        write_program(tmp_path)
        bot.move_time = LONG
        bot.new_game()
        assert ask(view_for(bot, Table(Nim()), 0), bot, "") == 0


def test_two_replies_to_one_question_are_a_fault(tmp_path):
    two = """echo "{\\"id\\":$id,\\"move\\":0}\n{\\"id\\":$((id + 1)),\\"move\\":0}" """
    with program_for(tmp_path, move=two) as bot:
        table = Table(Nim())
        take_turn(table, bot, "")
        table.play(0)
        assert fault_of(bot, table) == ("crash", f"{bot.spec} crashed: its process sent more than one reply.")


def test_a_program_may_allocate_only_so_much(tmp_path):
    with player_for(write_program(tmp_path, move="ulimit -d >&2; exit 3"), memory=1.024) as bot:
        assert fault_of(bot)[1].endswith("its last words: 1000000.")


def test_there_must_be_such_a_program(tmp_path):
    path = tmp_path / "data.txt"
    path.write_text("")
    for program in (path, tmp_path / "nothing", "no-program-has-this-name"):
        with pytest.raises(SpecError, match=r"There is no program '.*' that can be run"):
            check_strangers([resolve(f"cmd:{program}", Nim())], Terms())


def test_a_program_that_disappears_loses_a_game_but_does_not_end_the_tournament(tmp_path):
    with program_for(tmp_path) as bot:
        (tmp_path / "program.sh").unlink()
        kind, words = fault_of(bot)
        assert kind == "crash"
        assert "There is no program" in words


def test_a_program_can_play_a_game_that_no_other_process_can_find(tmp_path):
    @game
    class TypedIn(Nim):
        pass

    with player_for(write_program(tmp_path), TypedIn()) as bot:
        assert ask(view_for(bot, Table(TypedIn()), 0), bot, "") == 0


def test_a_program_that_holds_two_seats_has_two_sandboxes(tmp_path):
    spec = write_program(tmp_path)
    with Players(Nim(), Terms()) as players:
        first, second = players.seat([resolve(spec, Nim())] * 2)
        first.ready()
        second.ready()
        first.new_game()
        assert ask(view_for(second, Table(Nim()), 0), second, "") == 0


def test_arguments_are_split_as_in_a_shell(tmp_path):
    spec = f"cmd:{shutil.which('sh')} -c 'echo \"$0|$1\"; read question' a,b:c=d 'two words'"
    with player_for(spec) as bot:
        assert bot.command[-2:] == ("a,b:c=d", "two words")
        assert "'a,b:c=d|two words' is not a JSON object" in fault_of(bot)[1]


def test_faults_are_counted_and_the_tournament_goes_on(tmp_path):
    spec = write_program(tmp_path, move='''echo "{\\"id\\":$id,\\"move\\":\\"sidle\\"}"''')
    result = kibitz.arena(Nim(), [spec, "random"], games=4, seed=1, workers=1)
    assert result.ranking[0].faults + result.ranking[1].faults == {"illegal move": 4}


# ------------------------------------------------------------------ the page for authors

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"


def shown_lines():
    """What the page shows of a game: (→ or ←, line), with the lines that were broken joined again."""
    for block in re.findall(r"^```\n(→.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL):
        for part in re.split(r"\n(?=[→←])", block):
            yield part[0], json.loads(part[1:])


def test_the_page_shows_what_is_sent_and_understood():
    shown = list(shown_lines())
    answers = {answer["id"]: answer for direction, answer in shown if direction == "←"}
    left_out = {5: {"move": "1"}, 6: {"move": "4"}}
    others = iter(["2", "2", "1"])
    rules = kibitz.game("connect_four:columns=4,rows=3")
    bot, program = seated(rules, 10.0, hello=answers[1], move=lambda question: {**answers, **left_out}[question["id"]])
    table = Table(rules, seed=1, seats=["cmd:./bot", "random"])
    while not table.over:
        if table.turn == 0:
            take_turn(table, bot, "")
        else:
            table.play(next(others))
    tell_end(table, {0: bot}, table.payoff())
    sent = {question["id"]: {**question, "seed": None} for question in program.questions}
    for direction, question in shown:
        if direction == "→":
            assert {**question, "seed": None} == sent[question["id"]]
