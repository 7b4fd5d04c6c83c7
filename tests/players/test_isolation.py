"""Isolated bots: they play as they would here, see only what they may know, and can always be stopped."""

import json
import os
import re
import select
import signal
import textwrap
import time
from types import MappingProxyType

import pytest
import toys
from processes import LONG
from toys import HighCard, Nim

import kibitz
from kibitz import KibitzError, Ply, SpecError, Table
from kibitz.compiler import is_plain
from kibitz.errors import BotFault
from kibitz.players import isolation
from kibitz.players.guest import ALARM_SECONDS, Guest
from kibitz.players.isolation import ANSWER_BYTES, IsolatedBot, Pipes, Players, _encoded, make_player
from kibitz.players.roster import resolve
from kibitz.rules.contract import game

NIM, CARDS, DICE = (f"{toys.__file__}:{name}" for name in ("Nim", "HighCard", "DiceRace"))
SHORT = 0.3  # for bots that never answer

BOTS = """
import numpy as np
from kibitz.compiler import is_plain
from kibitz.rules.rng import below

class First:
    def choose(self, view):
        self.view = view
        return view.moves[0]

class Names:
    def choose(self, view):
        return view.names[-1]

class Misnames:
    def choose(self, view):
        return "take 9"

class Lucky:
    '''Draws from its stream in every way there is.'''
    def __init__(self, warmth: int = 1):
        self.moves = 0
    def choose(self, view):
        self.moves += 1
        self.was_plain = is_plain()
        draws = below(view.rng.words, 1000) + view.rng.randrange(1000) + int(1000 * view.rng.gauss(0, 1))
        return view.moves[(draws + self.moves) % len(view.moves)]

class Raises:
    def choose(self, view):
        raise ZeroDivisionError("by design")

class Exits:
    def choose(self, view):
        raise SystemExit(3)

class Interrupts:
    def choose(self, view):
        raise KeyboardInterrupt

class Mute(Exception):
    def __str__(self):
        raise ValueError

class RaisesUnspeakably:
    def choose(self, view):
        raise Mute

class Paints:
    def choose(self, view):
        raise ValueError("a\\x1b[31mb\\nc" + "d" * 10**6)

class Answers:
    def __init__(self, what: int = 0):
        self.what = [None, "4", 1.0, True, 10**5000, np.int8(2), np.array(1)][what]
    def choose(self, view):
        return self.what

class Unmakeable:
    def __init__(self):
        raise OSError("no weights")
    def choose(self, view):
        return 0
"""


@pytest.fixture
def bots(tmp_path):
    """The path of a file with bots."""
    path = tmp_path / "bots_for_isolation.py"
    path.write_text(BOTS)
    return path


class Here:
    """A channel to a bot in this process; it records all questions."""

    def __init__(self):
        self.guest = Guest()
        self.questions = []
        self.closed = False

    def send(self, line, seconds):
        self.questions.append(line)

    def receive(self, seconds):
        return json.dumps(self.guest.answer(json.loads(self.questions[-1]))).encode()

    def close(self):
        self.closed = True


def here(spec, game=NIM):
    """An isolated bot and its channel, without a process."""
    channel = Here()
    return IsolatedBot(spec, game, start=lambda: channel), channel


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
    spec = f"{bots}:Lucky:warmth=2"
    with IsolatedBot(spec, DICE, LONG) as isolated:
        for seed in (1, 2):
            isolated.new_game()
            table = Table(DICE, seed)
            record = play(table, isolated, kibitz.bot("random", table.game))
            table = Table(DICE, seed)
            assert record == play(table, kibitz.bot(spec, table.game), kibitz.bot("random", table.game))


def test_in_plain_mode_a_game_is_the_same(bots):
    spec = f"{bots}:Lucky"
    with kibitz.plain():
        table = Table(DICE, 4)
        record = play(table, here(spec, DICE)[0], kibitz.bot("random", table.game))
    table = Table(DICE, 4)
    assert record == play(table, here(spec, DICE)[0], kibitz.bot("random", table.game))


def test_a_bot_that_was_started_in_plain_mode_plays_in_plain_mode(bots):
    isolated, channel = here(f"{bots}:Lucky")
    with kibitz.plain():
        isolated.check()
    isolated.choose(Table(Nim()).view(0))
    assert channel.guest.player.was_plain
    assert not is_plain()


def test_a_view_arrives_as_it_was_sent(bots):
    isolated, channel = here(f"{bots}:First", CARDS)
    table = Table(CARDS, 3)
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


def test_every_game_has_a_new_bot_in_the_same_process(bots):
    isolated, channel = here(f"{bots}:Lucky")
    made = []
    for _ in range(2):
        isolated.new_game()
        isolated.choose(Table(Nim()).view(0))
        isolated.choose(Table(Nim()).view(0))
        made.append(channel.guest.player)
    assert made[0] is not made[1]
    assert made[1].moves == 2
    asked = [json.loads(question)["ask"] for question in channel.questions]
    assert asked == ["start", "move", "move", "new game", "move", "move"]


def test_two_games_that_begin_alike_are_separate(bots):
    isolated, channel = here(f"{bots}:First")
    for _ in range(2):
        isolated.new_game()
        table = Table(Nim())
        table.play(1)
        isolated.choose(table.view(1))
        assert channel.guest.player.view.history == (Ply(0, 1),)


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
        isolated, channel = here(f"{bots}:First", CARDS)
        isolated.choose(table.view(0))
        for bid in bids:
            table.play(bid)
        isolated.choose(table.view(0))
        assert table.state.public_bytes().hex().encode() not in channel.questions[-1]
        asked.append(channel.questions)
    assert len(asked[0]) == 3
    assert asked[0] == asked[1]


def test_scratch_fields_stay_at_the_table(bots):
    isolated, channel = here(f"{bots}:First", CARDS)
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

    forger = Forger()
    view = Table(Nim()).view(0)
    before = view.rng.getstate()
    with pytest.raises(BotFault, match=r"^forger crashed: its process sent a malformed reply\.$") as caught:
        IsolatedBot("forger", NIM, start=lambda: forger).choose(view)
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
    isolated, _ = here(f"{bots}:First")
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
        IsolatedBot("x.py:X", NIM, seconds)


# ------------------------------------------------------------------ pipes


@pytest.fixture
def pipes():
    opened = []

    def start(*command):
        opened.append(Pipes(command))
        return opened[-1]

    yield start
    for channel in opened:
        channel.close()


def exchange(channel, question, seconds):
    channel.send(question, seconds)
    return channel.receive(seconds)


def test_a_channel_carries_a_question_of_any_size(pipes):
    echo = pipes("sh", "-c", "while read line; do echo ${#line}; done")
    assert exchange(echo, b"x" * 10**6 + b"\n", LONG) == b"1000000"
    assert exchange(echo, b"x\n", LONG) == b"1"


@pytest.mark.parametrize("size", [1, 10**6])
def test_a_process_that_does_not_answer_or_even_read_times_out(pipes, size):
    channel, started = pipes("sleep", "1000"), time.monotonic()
    with pytest.raises(TimeoutError):
        exchange(channel, b"x" * size + b"\n", SHORT)
    assert time.monotonic() - started >= SHORT


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("exit 0", "exited with code 0"),
        ("read line; exit 3", "exited with code 3"),
        ("kill -SEGV $$", "was killed by SIGSEGV"),
        ("yes | tr -d '\\n'", "sent an endless reply"),
    ],
)
def test_it_is_reported_why_a_process_will_not_answer(pipes, script, words):
    channel = pipes("sh", "-c", script)
    with pytest.raises(ConnectionError, match=words):
        exchange(channel, b"?\n", LONG)


def test_closing_leaves_no_process_and_no_open_file_behind(pipes):
    before = os.listdir("/dev/fd")
    channel = pipes("sleep", "1000")
    assert os.listdir("/dev/fd") != before
    channel.close()
    channel.close()
    assert os.listdir("/dev/fd") == before
    assert channel.process.returncode == -signal.SIGKILL


def test_the_children_of_a_process_end_with_it():
    watched, held = os.pipe()
    channel = Pipes(["sh", "-c", "sleep 1000 & echo started; sleep 1000"], stderr=held)
    os.close(held)
    assert exchange(channel, b"?\n", LONG) == b"started"
    assert not select.select([watched], [], [], 0)[0]
    channel.close()
    assert select.select([watched], [], [], LONG)[0]
    assert os.read(watched, 100) == b""  # the end of the file: no process is left that could write to it
    os.close(watched)


def test_a_channel_that_is_dropped_is_closed():
    channel = Pipes(["sleep", "1000"])
    process = channel.process
    del channel
    assert process.returncode == -signal.SIGKILL


def test_ctrl_c_does_not_reach_a_process(pipes):
    channel = pipes("cat")
    assert os.getsid(channel.process.pid) == channel.process.pid != os.getsid(0)


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
    subprocess.run(["sleep", "1000"])

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
    with IsolatedBot(f"{path}:Moody", NIM, LONG) as isolated:
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
                sys.__stdout__.write('{"move": 1}\\n' * 10_000)
                sys.__stdout__.flush()
                os.write(1, b"by hand\\n")
                print("by print")
                os.system("echo by a program")
                assert sys.stdin.read() == ""
                return 2
        """)
    )
    with IsolatedBot(f"{path}:Chatty", NIM, LONG) as isolated:
        assert isolated.choose(Table(Nim()).view(0)) == 2
        process = isolated._channel.process
        process.stdin.close()  # all that a bot notices when the table is gone
        assert process.wait(LONG) == 0
    out, err = capfd.readouterr()
    assert out == ""
    assert all(words in err for words in ("by print", '{"move": 1}', "by hand", "by a program"))


def test_a_bot_that_hangs_is_ended_by_its_alarm_when_its_table_is_gone(tmp_path):
    path = tmp_path / "stuck.py"
    path.write_text(
        textwrap.dedent("""
        import itertools

        class Stuck:
            def choose(self, view):
                sum(itertools.repeat(0))  # never releases the GIL
        """)
    )
    with IsolatedBot(f"{path}:Stuck", NIM, LONG) as isolated:
        isolated.check()
        process = isolated._channel.process
        question = {**isolated._about("move", Table(Nim()).view(0)), "time": SHORT}
        started = time.monotonic()
        os.write(process.stdin.fileno(), _encoded(question).encode() + b"\n")
        process.stdin.close()  # all that a bot notices when the table is gone
        assert process.wait(LONG) == -signal.SIGALRM
        assert time.monotonic() - started >= SHORT + ALARM_SECONDS


# ------------------------------------------------------------------ who is isolated

OWN = f"""
import sys
sys.path.insert(0, {os.path.dirname(toys.__file__)!r})
import kibitz, toys

class Own:
    def choose(self, view):
        return view.moves[-1]

class Pupil(kibitz.Bot):
    learns = True
    def choose(self, view):
        return view.moves[-1]

@kibitz.game
class OwnNim(toys.Nim):
    bots = {{"own": Own, "usual": "mc:sims=10", "pupil": Pupil}}
"""


@pytest.fixture
def own_game(tmp_path):
    path = tmp_path / "own_game.py"
    path.write_text(OWN)
    return kibitz.game(f"{path}:OwnNim")


def test_a_shipped_bot_plays_in_this_process(own_game):
    for rules in (kibitz.game("connect_four"), own_game):
        assert type(make_player(resolve("mc:sims=10", rules))) is type(kibitz.bot("mc", rules))
    assert type(make_player(resolve("usual", own_game))) is type(kibitz.bot("mc", own_game))


def test_a_bot_from_a_file_is_isolated_and_not_even_loaded_here(tmp_path):
    (tmp_path / "loud.py").write_text("raise AssertionError('loaded')")
    player = make_player(resolve(f"{tmp_path}/loud.py:Loud", kibitz.game("connect_four:columns=5")), 3.0)
    assert isinstance(player, IsolatedBot)
    assert (player.game, player.move_time) == ("connect_four:columns=5", 3.0)


def test_a_games_own_bot_is_isolated_if_the_game_is_from_a_file(own_game):
    player = make_player(resolve("own", own_game))
    assert isinstance(player, IsolatedBot)
    player._start = Here
    assert player.choose(Table(own_game).view(0)) == 2


@pytest.mark.parametrize(("spec", "is_kept"), [("own", False), ("pupil", True)])
def test_an_isolated_bot_is_kept_from_game_to_game_if_it_learns(own_game, monkeypatch, spec, is_kept):
    channel = Here()
    monkeypatch.setattr(isolation, "start_process", lambda memory: channel)
    players, made = Players(own_game), []
    for _ in range(2):
        (bot,) = players.seat([resolve(spec, own_game)])
        bot.choose(Table(own_game).view(0))
        made.append(channel.guest.player)
    assert (made[0] is made[1]) == is_kept


class Last:
    def choose(self, view):
        return view.moves[-1]


@game
class TypedIn(Nim):
    bots = MappingProxyType({"last": Last})


def test_a_games_own_bot_plays_in_this_process_if_no_other_can_find_the_game():
    assert isinstance(make_player(resolve("last", TypedIn())), Last)


def test_a_bot_from_a_file_cannot_play_a_game_that_its_process_cannot_find(bots):
    with pytest.raises(SpecError, match=r"cannot find the game TypedIn; move the game to a file"):
        make_player(resolve(f"{bots}:First", TypedIn()))


def seated(players, specs):
    return players.seat([resolve(spec, players.game) for spec in specs])


def test_isolated_players_keep_their_processes_and_others_are_new_in_every_game(bots):
    spec = f"{bots}:First"
    with Players(kibitz.game("connect_four")) as players:
        first, second = seated(players, [spec, spec])
        assert first is not second
        assert seated(players, [spec, "random"])[0] is first
        assert seated(players, ["random", spec])[1] is first
        assert seated(players, [spec, spec]) == [first, second]
        assert seated(players, ["mc", "mc"])[0] is not seated(players, ["mc", "mc"])[0]


def test_a_seated_player_begins_a_new_game(bots):
    with Players(kibitz.game(NIM)) as players:
        (player, _) = seated(players, [f"{bots}:Lucky", "random"])
        channel = Here()
        player._start = lambda: channel
        player.choose(Table(Nim()).view(0))
        bot = channel.guest.player
        seated(players, ["random", f"{bots}:Lucky"])
        player.choose(Table(Nim()).view(0))
        assert channel.guest.player is not bot
    assert channel.closed


def test_a_limited_number_of_processes_wait_for_another_game(bots):
    names = [f"{bots}:First", f"{bots}:Lucky", f"{bots}:Raises"]
    with Players(kibitz.game("connect_four"), processes=2) as players:
        channel = Here()
        longest_idle = seated(players, [names[0], "random"])[0]
        longest_idle._start = lambda: channel
        longest_idle.ready()
        kept = seated(players, [names[1], "random"])[0]
        assert not channel.closed
        seated(players, [names[2], "random"])
        assert channel.closed
        assert seated(players, [names[1], "random"])[0] is kept
        assert seated(players, [names[0], "random"])[0] is not longest_idle
