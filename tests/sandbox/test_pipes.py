"""Pipes: lines go there and back in time, and it is known how a process ended."""

import os
import signal
import subprocess
import time

import pytest
from processes import LONG, open_files

from kibitz.sandbox.pipes import Pipes, ProcessDied, ProcessEnding

SHORT = 0.3  # for processes that never answer


def piped(*command):
    """A channel to a process, without any sandbox; the process is there as `.process`."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    questions, answers = os.dup(process.stdin.fileno()), os.dup(process.stdout.fileno())
    process.stdin.close()
    process.stdout.close()

    def end(patiently):
        try:
            return ProcessEnding(process.wait(LONG if patiently else 0))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return ProcessEnding(None, "last words")

    channel = Pipes(questions, answers, end)
    channel.process = process
    return channel


@pytest.fixture
def pipes():
    """The same, closed after the test."""
    opened = []

    def start(*command):
        opened.append(piped(*command))
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
    ("script", "words", "by_signal"),
    [
        ("exit 0", "exited with code 0", False),
        ("read line; exit 3", "exited with code 3", False),
        ("exec >&-; sleep 0.1; exit 4", "exited with code 4", False),
        ("kill -SEGV $$", "was killed by SIGSEGV", True),
        ("kill -40 $$", "was killed by signal 40", True),
        ("while :; do printf 0123456789; done", "sent an endless reply", False),
    ],
)
def test_it_is_reported_why_a_process_will_not_answer(pipes, script, words, by_signal):
    channel = pipes("sh", "-c", script)
    with pytest.raises(ProcessDied) as caught:
        exchange(channel, b"?\n", LONG)
    assert str(caught.value) == words
    assert caught.value.by_signal == by_signal


def test_a_process_that_has_already_answered_the_next_question_has_sent_too_much(pipes):
    channel = pipes("sh", "-c", "echo 1; echo 2; read line; read line")
    assert channel.receive(LONG) == b"1"
    while not channel._unread:  # until the second line is there
        channel._unread += os.read(channel._answers, 100)
    with pytest.raises(ProcessDied, match="sent more than one reply"):
        channel.send(b"?\n", LONG)


def test_a_process_that_ends_too_late_is_late(pipes):
    channel = pipes("sh", "-c", "exit 3")
    channel.process.wait(LONG)
    with pytest.raises(TimeoutError):
        channel.receive(-1.0)


def test_closing_ends_the_process_and_leaves_no_open_file_behind(pipes):
    before = open_files()
    channel = pipes("sleep", "1000")
    assert open_files() != before
    channel.close()
    channel.close()
    assert open_files() == before
    assert channel.process.returncode == -signal.SIGKILL
    assert channel.ending == ProcessEnding(None, "last words")


def test_a_channel_that_is_dropped_is_closed():
    channel = piped("sleep", "1000")
    process = channel.process
    del channel
    assert process.returncode == -signal.SIGKILL
