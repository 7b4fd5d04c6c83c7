"""What holds for every command: help, errors, exit codes, pipes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from processes import apart_from_waiting

import kibitz
from kibitz.cli.app import COMMANDS

TOYS = Path(__file__).parent.parent / "toys.py"


def test_without_a_command_the_commands_are_listed(run):
    outcome = run("")
    assert outcome.code == 0
    assert all(f" {command} " in outcome.out for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(run, command):
    outcome = run(f"{command} --help")
    assert outcome.code == 0
    assert f"kibitz {command}" in outcome.out


@pytest.mark.parametrize("command", [c for c in COMMANDS if c not in ("games", "bench")])
def test_help_gives_an_example(run, command):
    assert run(f"{command} --help").out.count("kibitz ") >= 2


@pytest.mark.parametrize("arguments", ["--version", "--help", ""])
def test_the_version_and_the_help_do_not_wait_for_the_compiler(arguments):
    program = (
        "import sys\n"
        "from kibitz.cli import main\n"
        "try:\n    main(sys.argv[1:])\n"
        "except SystemExit:\n    print('numba' in sys.modules or 'numpy' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, *arguments.split()], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_the_version_is_printed(run):
    outcome = run("--version")
    assert (outcome.code, outcome.out) == (0, f"kibitz {kibitz.__version__}\n")


def test_a_group_of_commands_lists_them(run):
    outcome = run("logs")
    assert (outcome.code, outcome.err) == (0, "")
    assert "merge" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("play conect_four", "There is no game 'conect_four'. Did you mean connect_four?"),
        ("bots connect_four:column=5", "connect_four has no option 'column'; it has columns, rows."),
        ("bots connect_four:columns=many", "columns must be a whole number, not 'many'"),
        ("watch connect_four randam", "called 'randam'. Did you mean random?"),
        ("watch connect_four random:luck=1", "random has no option 'luck'"),
        ("watch connect_four :", "is not a valid spec"),
        ("watch connect_four random random random", "3 bots are too many"),
        ("arena connect_four random --games none", "Invalid value for '--games'"),
        ("arena connect_four random --games 0", "Invalid value for '--games'"),
        ("play connect_four --seat 3", "There is no seat '3'; the seats are 1 (Red), 2 (Yellow)."),
        ("play connect_four --vs random --vs random", "2 opponents are too many for 1 free seat."),
        ("play nowhere.py:Game", "There is no file nowhere.py."),
        ("analyse connect_four --moves 9", "'9' is not a legal move; legal moves: 1, 2"),
        ("analyse connect_four --bot random", "random cannot evaluate a position"),
        ("analyse connect_four --position rubbish", "This is not a valid position"),
        (f"arena connect_four random --games {10**30}", "games must be at most 1,000,000,000,000"),
        (f"arena connect_four random --opening {10**30}", "opening moves must be at most 10,000"),
        (f"arena connect_four random --workers {10**30}", "workers must be at most 512"),
        ("arena connect_four examples/middle_bot.py:MiddleBot --move-time 1e300", "at most a day"),
        ("arena connect_four random --bot-memory inf", "GB of memory, not inf"),
        ("arena connect_four random --limit sims=1e99", "sims must be a whole number, not '1e99'"),
        (f"watch connect_four uct:sims={10**20}", "sims must be a whole number that fits in 64 bits"),
        ("watch connect_four random --delay 1e300", "Invalid value for '--delay'"),
        ("watch connect_four random --delay nan", "Invalid value for '--delay'"),
        ("play connect_four:columns=999999999", "columns × (rows + 1) between 2 and 62"),
        (f"odds camelup --samples {10**30}", "Invalid value for '--samples'"),
        ("solve connect_four --memory 1e300", "Invalid value for '--memory'"),
        (f"train ur --games {10**30}", "Invalid value for '--games'"),
        ("serve --port 99999", "Invalid value for '--port'"),
        ("serve --pace inf", "Invalid value for '--pace'"),
        ("play", "Missing argument 'GAME'"),
        ("fly connect_four", "No such command 'fly'"),
        ("games --fast", "No such option: --fast"),
    ],
)
def test_an_error_is_one_sentence_on_stderr(run, arguments, sentence):
    outcome = run(arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("kibitz: ")
    assert sentence in outcome.err
    assert outcome.err.count("\n") == 1


def test_brackets_in_an_error_are_shown_as_they_are(run):
    assert "'[bold]'" in run("play [bold]").err


def test_colons_in_an_error_do_not_become_emoji(run):
    assert "'x.py:Pig:'" in run("play x.py:Pig:").err


def test_an_unexpected_error_names_its_place_without_a_traceback(run, tmp_path):
    path = tmp_path / "odd.py"
    path.write_text(
        "class Odd:\n    def __init__(self):\n        raise LookupError('lost')\n    def choose(self, view): ...\n"
    )
    outcome = run("watch connect_four", f"{path}:Odd")
    assert outcome.code == 2
    assert "LookupError" in outcome.err
    assert "Traceback" not in outcome.err


def test_an_error_in_plain_rules_names_their_line(run, tmp_path, monkeypatch):
    path = tmp_path / "slip.py"
    source = TOYS.read_text().replace("s.left = self.heap", "s.lift = self.heap")
    path.write_text(source)
    line = source[: source.index("s.lift")].count("\n") + 1
    with kibitz.plain():
        error = run("watch", f"{path}:Nim", "random").err
    assert f"slip.py line {line}: the state has no field 'lift'" in error


def test_a_traceback_is_shown_on_request(run, monkeypatch, tmp_path):
    monkeypatch.setenv("KIBITZ_TRACEBACK", "1")
    with pytest.raises(Exception, match="There is no game"):
        run("play nothing")


def test_a_pipe_that_is_closed_early_is_not_an_error():
    command = f"{sys.executable} -m kibitz watch connect_four random random | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert apart_from_waiting(done.stderr) == ""
    assert done.stdout.count("\n") == 1


def test_json_is_the_only_output_on_stdout():
    command = [sys.executable, "-m", "kibitz", "arena", "connect_four", "random", "random", "--games", "4", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"FORCE_COLOR": "1", **os.environ})
    assert json.loads(done.stdout)["games"] == 4


def test_it_is_said_on_stderr_what_is_compiled_and_that_it_is_only_once(tmp_path):
    environment = {**os.environ, "KIBITZ_CACHE": str(tmp_path)}
    command = [sys.executable, "-m", "kibitz", "watch", f"{TOYS}:Nim:heap=3", "random", "--moves-only", "--seed", "0"]
    cold, warm = (subprocess.run(command, capture_output=True, text=True, env=environment) for _ in range(2))
    assert cold.stderr.startswith("Compiling Nim.start … (only the first time)\n")
    assert apart_from_waiting(cold.stderr) == ""
    assert warm.stderr == ""
    assert cold.stdout.splitlines()[-1] == warm.stdout.splitlines()[-1]


def test_output_to_a_pipe_is_not_coloured(run):
    assert "\x1b" not in run("watch connect_four random random").out
