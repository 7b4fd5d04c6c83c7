"""Isolated bots: they play as they would here, see only what they may know, and can always be stopped."""

import json
import os
import re
import textwrap

import pytest
import toys
from guests import BOTS, Here
from processes import LONG, descendants, is_running, wait_for
from toys import DiceRace, HighCard, Nim

import kibitz
from kibitz import KibitzError, Ply, SpecError, Table
from kibitz.compiler import is_plain
from kibitz.errors import BotFault
from kibitz.players.isolation import IsolatedBot
from kibitz.players.roster import resolve
from kibitz.players.seating import Terms, make_player
from kibitz.sandbox.pipes import ANSWER_BYTES, ProcessEnding

NIM, DICE = (f"{toys.__file__}:{name}" for name in ("Nim", "DiceRace"))
SHORT = 0.3  # for bots that never answer


@pytest.fixture
def bots(tmp_path):
    """The path of a file with bots."""
    path = tmp_path / "bots_for_isolation.py"
    path.write_text(BOTS)
    return path


def here(spec, rules=None):
    """An isolated bot and its channel, without a process."""
    channel = Here(rules or Nim())
    return IsolatedBot(spec, channel.guest.game, lambda: channel, LONG), channel


def sandboxed(spec, rules=NIM, **terms):
    """An isolated bot in a sandbox."""
    return make_player(resolve(spec, kibitz.game(rules)), Terms(**{"move_time": LONG, **terms}))


def play(table, *players):
    while not table.over:
        table.play(players[table.turn].choose(table.view(table.turn)), table.turn)
    return table.record()


def fault_of(bot, table=None):
    table = table or Table(Nim())
    with pytest.raises(BotFault) as caught:
        bot.choose(table.view(table.turn))
    return caught.value.kind, str(caught.value)


# ------------------------------------------------------------------ playing as if not isolated


def test_a_bot_may_name_its_move(bots):
    bot, _ = here(f"{bots}:Names")
    assert bot.choose(Table(Nim()).view(0)) == 2
    bot, _ = here(f"{bots}:Misnames")
    kind, words = fault_of(bot)
    assert kind == "illegal move"
    assert "played an illegal move: 'take 9'." in words


def test_a_game_is_the_same_whether_isolated_or_not(bots):
    spec, rules = f"{bots}:Lucky:warmth=2", kibitz.game(DICE)
    with sandboxed(spec, DICE) as isolated:
        for seed in (1, 2):
            isolated.new_game()
            record = play(Table(rules, seed), isolated, kibitz.bot("random", rules))
            assert record == play(Table(rules, seed), kibitz.bot(spec, rules), kibitz.bot("random", rules))


def test_in_plain_mode_a_game_is_the_same(bots):
    spec = f"{bots}:Lucky"
    rules = DiceRace()
    with kibitz.plain():
        record = play(Table(rules, 4), here(spec, rules)[0], kibitz.bot("random", rules))
    assert record == play(Table(rules, 4), here(spec, rules)[0], kibitz.bot("random", rules))


def test_a_bot_that_was_started_in_plain_mode_plays_in_plain_mode(bots):
    with kibitz.plain():
        isolated, channel = here(f"{bots}:Lucky")
    isolated.choose(Table(Nim()).view(0))
    assert channel.guest.player.was_plain
    assert not is_plain()


def test_a_view_arrives_as_it_was_sent(bots):
    isolated, channel = here(f"{bots}:First", HighCard())
    table = Table(isolated.game, 3)
    for _ in range(5):
        sent = table.view(table.turn)
        move = isolated.choose(sent)
        arrived = channel.guest.player.view
        assert arrived.state == sent.state
        assert (arrived.player, arrived.moves, arrived.history) == (sent.player, sent.moves, sent.history)
        assert (arrived.names, arrived.text(), arrived.since) == (sent.names, sent.text(), sent.since)
        assert arrived.rng.getstate() == sent.rng.getstate()
        assert arrived.time == isolated.move_time
        assert type(arrived) is kibitz.View
        assert all(type(ply) is Ply for ply in arrived.history)
        table.play(move)


def started(spec, may_learn=False):
    """An isolated bot that needs no process, and the channels that it will have started."""
    channels = []

    def start():
        channels.append(Here(Nim()))
        return channels[-1]

    return IsolatedBot(spec, Nim(), start, LONG, may_learn=may_learn), channels


def test_every_game_has_a_new_bot_in_a_new_process(bots):
    isolated, channels = started(f"{bots}:Lucky")
    for _ in range(2):
        isolated.new_game()
        isolated.choose(Table(Nim()).view(0))
        isolated.choose(Table(Nim()).view(0))
    assert len(channels) == 2
    assert [channel.closed for channel in channels] == [True, False]
    assert [channel.guest.player.moves for channel in channels] == [2, 2]
    for channel in channels:
        assert [json.loads(question)["ask"] for question in channel.questions] == ["start", "move", "move"]


def test_a_process_that_has_made_no_move_is_new_to_the_next_game(bots):
    isolated, channels = started(f"{bots}:First")
    for _ in range(2):
        isolated.new_game()
        isolated.ready()
    assert len(channels) == 1


@pytest.mark.parametrize(
    ("name", "may_learn", "processes"), [("Learns", True, 1), ("Learns", False, 2), ("First", True, 2)]
)
def test_a_bot_that_learns_keeps_its_process_if_that_was_known_before(bots, name, may_learn, processes):
    isolated, channels = started(f"{bots}:{name}", may_learn)
    for _ in range(2):
        isolated.new_game()
        isolated.choose(Table(Nim()).view(0))
    assert isolated.learns == (name == "Learns")
    assert len(channels) == processes


def test_only_a_bot_that_listens_is_told_how_its_game_ended(bots):
    for name, told in (("Listens", [1.0, 0.0]), ("First", None)):
        isolated, channel = here(f"{bots}:{name}")
        table = Table(Nim())
        view = table.view(0)
        isolated.choose(view)
        isolated.game_ended(view, [1.0, 0.0], None, [])
        assert getattr(channel.guest.player, "told", None) == told


def test_two_games_that_begin_alike_are_separate(bots):
    isolated, channels = started(f"{bots}:First")
    for _ in range(2):
        isolated.new_game()
        table = Table(Nim())
        table.play(1)
        isolated.choose(table.view(1))
        assert channels[-1].guest.player.view.history == (Ply(0, 1),)


# ------------------------------------------------------------------ what a bot sees


def dealt(*cards):
    table = Table(HighCard(), deal=False)
    for card in cards:
        table.play(card)
    return table


def test_what_a_player_may_not_know_never_leaves_the_table(bots):
    """For two deals that differ in the hands of others, but not in what player 0 has seen, no byte differs."""
    asked = []
    for cards, bids in (((0, 1, 2, 3, 4, 5), (7, 7, 7)), ((0, 6, 5, 3, 2, 1), (7, 8, 7))):
        table = dealt(*cards)
        isolated, channel = here(f"{bots}:First", HighCard())
        isolated.choose(table.view(0))
        for bid in bids:
            table.play(bid)
        isolated.choose(table.view(0))
        assert table.state.public_bytes().hex().encode() not in channel.questions[-1]
        asked.append(channel.questions)
    assert len(asked[0]) == 3
    assert asked[0] == asked[1]


def test_scratch_fields_stay_at_the_table(bots):
    isolated, channel = here(f"{bots}:First", HighCard())
    view = dealt(0, 1, 2, 3, 4, 5).view(0)
    view.state._pool[0] = 77
    isolated.choose(view)
    assert list(channel.guest.player.view.state._pool) == [0] * 7
    assert list(channel.guest.player.view.state.where) == list(view.state.where)


def test_a_ply_is_sent_once(bots):
    isolated, channel = here(f"{bots}:First")
    table = Table(Nim())
    play(table, isolated, isolated)
    plies = [ply for question in channel.questions[1:] for ply in json.loads(question)["plies"]]
    assert [tuple(ply) for ply in plies] == list(table.history[:-1])
    assert channel.guest.player.view.history == table.history[:-1]


def test_moves_that_were_taken_back_are_forgotten(bots):
    isolated, channel = here(f"{bots}:First")
    table = Table(Nim())
    for move in (0, 1, 2, 0):
        table.play(move)
    isolated.choose(table.view(0))
    table.undo()
    isolated.choose(table.view(1))
    assert channel.guest.player.view.history == table.history
    table.play(1)
    isolated.choose(table.view(0))
    assert channel.guest.player.view.history == table.history


# ------------------------------------------------------------------ bots that answer badly


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Raises", r"raised ZeroDivisionError in line \d+: by design"),
        ("Exits", r"raised SystemExit in line \d+: 3"),
        ("Interrupts", r"raised KeyboardInterrupt in line \d+"),
        ("RaisesUnspeakably", r"raised Mute in line \d+: its message cannot be shown"),
        ("Paints", r"raised ValueError in line \d+: a \[31mb cd+…"),
    ],
)
def test_a_bot_that_raises_is_named_with_its_line_and_keeps_its_process(bots, name, words):
    isolated, channel = here(f"{bots}:{name}")
    kind, message = fault_of(isolated)
    assert kind == "exception"
    assert re.fullmatch(re.escape(f"{bots}:{name} ") + words, message)
    assert not channel.closed


@pytest.mark.parametrize(
    ("what", "shown"), [(0, "None"), (1, "'4'"), (2, "1.0"), (3, "True"), (4, "an unprintable int")]
)
def test_anything_but_a_move_number_is_an_illegal_move(bots, what, shown):
    spec = f"{bots}:Answers:what={what}"
    assert fault_of(here(spec)[0]) == ("illegal move", f"{spec} played an illegal move: {shown}.")


@pytest.mark.parametrize(("what", "move"), [(5, 2), (6, 1)])
def test_numpy_integers_are_move_numbers(bots, what, move):
    assert here(f"{bots}:Answers:what={what}")[0].choose(Table(Nim()).view(0)) == move


@pytest.mark.parametrize(
    "answer",
    [
        b"\n",
        b"null\n",
        b"\xff\xfe\xfd\n",
        b"[" * (ANSWER_BYTES - 1) + b"\n",
        b"1" * (ANSWER_BYTES - 1) + b"\n",
        b'{"move": "3", "rng": [1, 2, null]}\n',
        b'{"move": 1.0, "rng": [1, 2, null]}\n',
        b'{"move": 1}\n',
        b'{"move": 1, "rng": [1, 2]}\n',
        b'{"move": 1, "rng": [1, 2, "x"]}\n',
        b'{"move": 1, "rng": [-1, 2, null]}\n',
        b'{"move": 1, "rng": [1, 18446744073709551616, null]}\n',
        b'{"move": 1, "rng": [1, 2, null]}\n{"move": 1, "rng": [1, 2, null]}\n',
        b'{"raised": 1}\n',
        b'{"ready": true}\n',
    ],
)
def test_a_malformed_answer_ends_the_process(answer):
    class Forger:
        answers = iter([b'{"ready": true}\n', answer])
        closed = False

        def send(self, line, seconds):
            pass

        def receive(self, seconds):
            return next(self.answers)

        def close(self):
            self.closed = True

        ending = ProcessEnding(None)

    forger = Forger()
    view = Table(Nim()).view(0)
    before = view.rng.getstate()
    with pytest.raises(BotFault, match=r"^forger crashed: its process sent a malformed reply\.$") as caught:
        IsolatedBot("forger", Nim(), lambda: forger, LONG).choose(view)
    assert caught.value.kind == "crash"
    assert forger.closed
    assert view.rng.getstate() == before


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("{}:Frist", "There is no class in .* called 'Frist'. Did you mean First?"),
        ("{}:Lucky:warmth=x", "warmth must be a whole number"),
        ("{}x.py:First", "There is no file"),
        ("{}:Unmakeable", r"Unmakeable raised OSError in line \d+: no weights"),
    ],
)
def test_a_bot_that_cannot_be_created_is_refused_before_anything_is_played(bots, spec, sentence):
    isolated, channel = here(spec.format(bots))
    with pytest.raises(SpecError, match=sentence):
        isolated.check()
    assert channel.closed


def test_a_bot_that_can_no_longer_be_created_loses_a_game_but_does_not_end_the_tournament(bots):
    isolated, _ = started(f"{bots}:First")
    isolated.choose(Table(Nim()).view(0))
    bots.unlink()
    isolated.new_game()
    kind, message = fault_of(isolated)
    assert kind == "exception"
    assert "There is no file" in message


def test_an_interrupt_while_a_bot_thinks_ends_its_process(bots):
    isolated, channel = here(f"{bots}:First")
    isolated.check()

    def interrupted(question, seconds):
        raise KeyboardInterrupt

    channel.send = interrupted
    with pytest.raises(KeyboardInterrupt):
        isolated.choose(Table(Nim()).view(0))
    assert channel.closed


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_a_time_limit_is_positive_and_finite(seconds):
    with pytest.raises(KibitzError, match="A time limit must be more than 0 seconds"):
        IsolatedBot("x.py:X", Nim(), lambda: None, seconds)


# ------------------------------------------------------------------ bots that hang or crash

MOODY = """
import ctypes, itertools, os, subprocess, sys, threading, time

def sleep():
    time.sleep(1000)

def spin():
    while True:
        pass

def spin_with_the_lock_held():
    sum(itertools.repeat(0))

def wait_for_a_program():
    try:
        subprocess.run(["sleep", "1000"])
    except PermissionError:  # in a sandbox without processes
        os.execvp("sleep", ["sleep", "1000"])

def exit_at_once():
    os._exit(0)

def leave_with_threads_running():
    threading.Thread(target=sleep).start()
    os._exit(5)

def segfault():
    ctypes.string_at(0)

def talk_into_the_pipe():
    for fd in range(3, 30):
        try:
            os.write(fd, b"x" * 20000)
        except OSError:
            pass

MOODS = [sleep, spin, spin_with_the_lock_held, wait_for_a_program,
         exit_at_once, leave_with_threads_running, segfault, talk_into_the_pipe]

class Moody:
    '''Misbehaves depending on the number of sticks left, and takes one of 21.'''
    def choose(self, view):
        if view.state.left < 21:
            MOODS[view.state.left]()
        return 0
"""


@pytest.fixture(scope="module")
def moody(tmp_path_factory):
    path = tmp_path_factory.mktemp("isolation") / "moody.py"
    path.write_text(MOODY)
    with sandboxed(f"{path}:Moody") as isolated:
        isolated.check()
        yield isolated


@pytest.mark.parametrize(
    ("mood", "kind", "words"),
    [
        (0, "timeout", "took more than 0.3 s for a move"),
        (1, "timeout", "took more than 0.3 s for a move"),
        (2, "timeout", "took more than 0.3 s for a move"),
        (3, "timeout", "took more than 0.3 s for a move"),
        (4, "crash", "crashed: its process exited with code 0"),
        (5, "crash", "crashed: its process exited with code 5"),
        (6, "crash", "crashed: its process was killed by SIGSEGV"),
        (7, "crash", "crashed: its process sent an endless reply"),
    ],
)
def test_a_bot_that_hangs_or_crashes_loses_one_game_and_plays_the_next(moody, mood, kind, words):
    moody.new_game()
    moody.ready()
    view = Table(Nim()).view(0)
    view.state.left = mood
    moody.move_time = SHORT if kind == "timeout" else LONG
    with pytest.raises(BotFault) as caught:
        moody.choose(view)
    assert (caught.value.kind, str(caught.value)) == (kind, f"{moody.spec} {words}.")
    moody.move_time = LONG
    moody.new_game()
    assert moody.choose(Table(Nim()).view(0)) == 0


def test_a_bots_prints_go_to_stderr_and_its_threads_do_not_keep_it_alive(tmp_path, capfd):
    path = tmp_path / "chatty.py"
    path.write_text(
        textwrap.dedent("""
        import os, sys, threading, time

        class Chatty:
            def choose(self, view):
                threading.Thread(target=time.sleep, args=(1000,)).start()
                sys.__stdout__.write('{"move": 1}\\n' * 1_000)
                sys.__stdout__.flush()
                os.write(1, b"by hand\\n")
                print("by print")
                os.system("echo by a program")
                assert sys.stdin.read() == ""
                return 2
        """)
    )
    (tmp_path / "log").mkdir()
    before = descendants(os.getpid())
    with sandboxed(f"{path}:Chatty", sandbox="none", stderr=str(tmp_path / "log")) as isolated:
        assert isolated.choose(Table(Nim()).view(0)) == 2
        started = descendants(os.getpid()) - before
    assert started
    assert not any(map(is_running, started))
    (kept,) = (tmp_path / "log").iterdir()
    assert all(words in kept.read_text() for words in ("by print", '{"move": 1}', "by hand", "by a program"))
    assert capfd.readouterr() == ("", "")


def test_a_bot_that_hangs_ends_as_soon_as_its_table_is_gone(moody):
    moody.ready()
    view = Table(Nim()).view(0)
    view.state.left = 2
    before = descendants(os.getpid())
    question = json.dumps(moody._about("move", view), default=int)
    moody._channel.send(question.encode() + b"\n", LONG)
    moody._channel.close()
    ended = before - descendants(os.getpid())
    assert ended
    wait_for(lambda: not any(map(is_running, ended)))
