"""`kibitz serve`: where it listens, what it offers, how it ends."""

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
from processes import LONG
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


def test_a_port_in_use_is_reported_in_one_sentence(run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        outcome = run(f"serve --port {taken.getsockname()[1]}")
    assert outcome.code == 2
    assert "choose another with --port" in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1


@pytest.mark.parametrize(("host", "is_public"), [("0.0.0.0", True), ("127.0.0.1", False), ("localhost", False)])
def test_what_listening_to_everyone_means_is_said_before_it_starts(run, host, is_public):
    with socket.create_server((host, 0)) as taken:
        outcome = run(f"serve --host {host} --port {taken.getsockname()[1]}")
    assert outcome.code == 2
    assert ("everyone who can reach this machine can play here" in outcome.out) == is_public


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


TOKEN = "t" * 32


class Served:
    """`kibitz serve` in another process, with a bot that thinks for a day."""

    def __init__(self, folder, *more):
        command = [sys.executable, "-m", "kibitz", "serve", "--port", "0", "--pace", "0", "--data", str(folder)]
        command += ["--bot", "Slow=uct:ms=86400000", *more]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.address = self.hear(r"kibitz is running at http://(\S+)/")

    def hear(self, pattern):
        """Wait until it says something that matches a pattern; what is in the parentheses."""
        said = ""
        while (found := re.search(pattern, " ".join(said.split()))) is None:
            line = self.process.stdout.readline()
            assert line, said
            said += line
        return found[1]

    def status(self, path, **headers):
        try:
            request = urllib.request.Request(f"http://{self.address}{path}", headers=headers)
            return urllib.request.urlopen(request, timeout=LONG).status
        except urllib.error.HTTPError as error:
            return error.code

    def new_table(self, bot):
        request = urllib.request.Request(
            f"http://{self.address}/api/tables",
            json.dumps({"game": "connect_four", "seats": [{"you": True}, {"bot": bot}]}).encode(),
            {"content-type": "application/json", "authorization": f"Bearer {TOKEN}"},
        )
        return json.load(urllib.request.urlopen(request, timeout=LONG))["id"]

    def at(self, table):
        headers = {"authorization": f"Bearer {TOKEN}"}
        return connect(f"ws://{self.address}/ws/{table}", additional_headers=headers, open_timeout=LONG)

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def serve(tmp_path):
    """Starts a server whose tables are those of the one before."""
    started = []

    def start(*more):
        started.append(Served(tmp_path, *more))
        return started[-1]

    yield start
    for server in started:
        server.end()


def seen(browser, condition):
    """The first table that fulfils a condition."""
    while not condition(table := json.loads(browser.recv(timeout=LONG))):
        pass
    return table


def my_turn(table):
    return bool(table["moves"])


def play(browser, table, move):
    browser.send(json.dumps({"type": "play", "move": move, "version": table["version"]}))
    return seen(browser, lambda after: after["plies"] > table["plies"])


def test_it_serves_a_game_and_ends_with_ctrl_c_although_a_bot_is_thinking(serve):
    server = serve()
    with server.at(server.new_table("Slow")) as browser:
        assert play(browser, seen(browser, my_turn), 3)["seats"][1]["thinking"]
        assert server.process.poll() is None
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(timeout=LONG) == 0
    assert "Goodbye." in server.process.stdout.read()


def test_after_kill_9_and_a_restart_a_game_goes_on_where_it_was(serve):
    server = serve()
    table = server.new_table("random")
    with server.at(table) as browser:
        acknowledged = play(browser, seen(browser, my_turn), 3)
        server.process.kill()
        server.process.wait()
    server = serve()
    with server.at(table) as browser:
        after = seen(browser, my_turn)  # the bot has moved, before or after the kill
        assert after["log"][:1] == acknowledged["log"][:1]
        assert [entry["seat"] for entry in after["log"]] == [0, 1]
        assert play(browser, after, 0)["plies"] > after["plies"]


def test_sigterm_ends_it_cleanly_while_a_bot_is_thinking(serve):
    server = serve()
    table = server.new_table("Slow")
    with server.at(table) as browser:
        play(browser, seen(browser, my_turn), 3)
        server.process.terminate()
        with pytest.raises(ConnectionClosed) as closed:
            browser.recv(timeout=LONG)
        assert closed.value.rcvd.code == 1012  # the page connects again
    assert server.process.wait(timeout=LONG) in (0, -signal.SIGTERM)
    assert "Traceback" not in server.process.stdout.read()
    server = serve()
    with server.at(table) as browser:
        after = seen(browser, lambda table: table["plies"] == 1)
        assert after["seats"][1]["thinking"]
        assert after["seats"][1]["seconds"] >= 0


def test_a_server_for_everyone_shows_a_secret_for_its_operator(serve):
    server = serve("--host", "0.0.0.0", "--log-level", "info")
    secret = server.hear(r"only now: ([\w-]{32})")
    assert server.status("/api/operator", authorization=f"Bearer {secret}") == 200
    assert server.status("/metrics", authorization=f"Bearer {secret}") == 200
    server.process.terminate()
    log = server.process.stdout.read()
    assert secret not in log
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    assert [line["path"] for line in lines if line["event"] == "request"] == ["/api/operator", "/metrics"]


def test_a_secret_of_ones_own_must_be_long_enough(run, monkeypatch):
    monkeypatch.setenv("KIBITZ_OPERATOR_SECRET", "too short")
    outcome = run("serve --port 0")
    assert outcome.code == 2
    assert "KIBITZ_OPERATOR_SECRET needs 32 to 64 random letters" in outcome.err
    assert "too short" not in outcome.err


def test_two_servers_do_not_share_a_folder(serve, run, tmp_path):
    server = serve()
    outcome = run(f"serve --port 0 --data {tmp_path}")
    assert outcome.code == 2
    assert f"are being served by process {server.process.pid}" in outcome.err
