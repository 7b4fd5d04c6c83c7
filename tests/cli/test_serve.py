"""`kibitz serve`: where it listens, what it offers, how it ends."""

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest
from processes import LONG
from websockets.sync.client import connect


def test_a_port_in_use_is_reported_in_one_sentence(run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        outcome = run(f"serve --port {taken.getsockname()[1]}")
    assert outcome.code == 2
    assert "choose another with --port" in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--bot", "uct:sims"], "needs a name and a spec"),
        (["--bot", "Mine=nowhere.py:Bot"], "There is no file"),
        (["--bot", "best=uct:sims=100"], "the name of a level"),
        (["--bot", "x=cmd:./nowhere --deep"], "There is no program './nowhere' that can be run"),
        (["--bot", "x=nosuch"], "There is no bot called 'nosuch'."),
        (["--bot", "x=perfekt"], "There is no bot called 'perfekt'. Did you mean perfect?"),
        (["--bot", "x=uct:simz=5"], "uct has no option 'simz'"),
        (["--bot", "x=learned:seed=5"], "learned has no option 'seed'"),
        (["--bot", "x=camelai:nowhere.py:Bot"], "There is no file nowhere.py"),
        (["--bot", "x=tests/toys.py:NimBoard"], "is not a bot; it needs a method choose"),
        (["--game", "nowhere.py:Game"], "There is no file"),
        (["--game", "ur:pieces=5"], "give its file and class"),
        (["--log", "nowhere"], "There is no log"),
    ],
)
def test_anything_that_cannot_be_offered_is_refused_at_once(run, arguments, words):
    outcome = run("serve --port 0", *arguments)
    assert outcome.code == 2
    assert words in outcome.err


@pytest.fixture
def server():
    """A server in another process, with a bot that thinks for a day, and its address."""
    command = [sys.executable, "-m", "kibitz", "serve", "--port", "0", "--pace", "0", "--bot", "Slow=uct:ms=86400000"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process, re.search(r"http://(\S+)/", process.stdout.readline())[1]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_it_serves_a_game_and_ends_with_ctrl_c_although_a_bot_is_thinking(server):
    process, address = server
    seats = [{"you": True}, {"bot": "Slow"}]
    request = urllib.request.Request(
        f"http://{address}/api/tables",
        json.dumps({"game": "connect_four", "seats": seats}).encode(),
        {"content-type": "application/json"},
    )
    table = json.load(urllib.request.urlopen(request, timeout=LONG))
    with connect(f"ws://{address}/ws/{table['id']}?token={table['token']}", open_timeout=LONG) as browser:
        while not (seen := json.loads(browser.recv(timeout=LONG)))["moves"]:
            pass
        browser.send(json.dumps({"type": "play", "move": 3, "version": seen["version"]}))
        assert json.loads(browser.recv(timeout=LONG))["seats"][1]["thinking"]
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=LONG) == 0
    assert "Goodbye." in process.stdout.read()
