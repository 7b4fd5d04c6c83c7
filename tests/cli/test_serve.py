"""`kibitz serve`: where it listens, what it offers, how it ends."""

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest
from websockets.sync.client import connect


def test_a_port_that_is_taken_is_one_sentence(run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        outcome = run(f"serve --port {taken.getsockname()[1]}")
    assert outcome.code == 2
    assert "choose another with --port" in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--bot", "uct:sims"], "takes a name and a spec"),
        (["--bot", "Mine=nowhere.py:Bot"], "There is no file"),
        (["--bot", "best=uct:sims=100"], "the name of a level"),
        (["--game", "nowhere.py:Game"], "There is no file"),
        (["--game", "ur:pieces=5"], "name its file and class"),
        (["--log", "nowhere"], "There is no log"),
    ],
)
def test_what_cannot_be_offered_is_refused_at_once(run, arguments, words):
    outcome = run("serve --port 0", *arguments)
    assert outcome.code == 2
    assert words in outcome.err


@pytest.fixture
def server():
    """A server in a process of its own, and where it is."""
    command = [sys.executable, "-m", "kibitz", "serve", "--port", "0", "--pace", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process, re.search(r"http://(\S+)/", process.stdout.readline())[1]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_it_serves_a_game_and_ends_with_ctrl_c_though_a_bot_thinks(server):
    process, address = server
    seats = [{"you": True}, {"bot": "uct:ms=10000"}]
    request = urllib.request.Request(
        f"http://{address}/api/tables",
        json.dumps({"game": "connect_four", "seats": seats}).encode(),
        {"content-type": "application/json"},
    )
    table = json.load(urllib.request.urlopen(request, timeout=60))
    with connect(f"ws://{address}/ws/{table['id']}?token={table['token']}") as browser:
        while not (seen := json.loads(browser.recv(timeout=60)))["moves"]:
            pass
        browser.send(json.dumps({"type": "play", "move": 3, "version": seen["version"]}))
        assert json.loads(browser.recv(timeout=60))["seats"][1]["thinking"]
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
    assert "Goodbye." in process.stdout.read()
