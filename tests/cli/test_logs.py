"""Logs from the command line: merged, exported, replayed."""

import pytest
from logged_games import HIGH_CARD, TOYS, as_games, play, tournament

from kibitz.records.log import Log, LogWriter


def write(folder, what, change=None):
    tables = play(what)
    games = as_games(tables)
    if change:
        change(games)
    with LogWriter(folder, what) as log:
        log.write(games)
    return tables


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "log", tournament())
    return tmp_path / "log"


def test_a_log_is_merged_next_to_its_folder(run, folder):
    outcome = run("logs merge", str(folder))
    assert outcome.code == 0
    assert outcome.out == f"Wrote {folder}.parquet.\n"
    assert len(Log(f"{folder}.parquet").games()) == 8


def test_a_log_is_exported_as_csv(run, folder, tmp_path):
    assert run("logs export", str(folder), "--csv").code == 0
    assert len(list((tmp_path / "log-csv").iterdir())) == 8
    assert run("logs export", str(folder), "--csv", "--merged", "--out", str(tmp_path / "x.csv")).code == 0
    assert (tmp_path / "x.csv").read_text().startswith("game,ply,player,bot,kind,move,name,discs_0,")


def test_a_format_must_be_chosen(run, folder):
    outcome = run("logs export", str(folder))
    assert outcome.code == 2
    assert "--csv" in outcome.err


def test_a_game_of_a_log_is_shown_move_by_move(run, folder):
    outcome = run("replay", str(folder), "--game", "5")
    names = Log(folder).record(5).names
    assert outcome.code == 0
    assert outcome.out.startswith("Red random · Yellow random\n")
    moves = [line.split(": column ")[1].split()[0] for line in outcome.out.splitlines() if ": column " in line]
    assert moves == list(names)
    assert outcome.out.count("└") == len(names)
    assert "wins." in outcome.out or "A draw." in outcome.out
    assert outcome.out.splitlines()[-1] == f"Moves: {' '.join(names)}"


def test_a_game_logged_without_moves_is_played_again(run, tmp_path):
    log, words = str(tmp_path / "log"), ("arena", "connect_four", "random", "random", "--seed", "1", "--games", "6")
    assert run(*words, "--no-moves", "--log", log).code == 0
    assert run("arena", "--resume", log).code == 0
    assert not Log(log).has_moves
    assert run(*words, "--moves", "--log", f"{log}-2").code == 0
    shown = run("replay", log, "--game", "4")
    assert shown.code == 0
    assert shown.out == run("replay", f"{log}-2", "--game", "4").out


def test_without_a_number_the_first_game_is_shown(run, folder):
    outcome = run("replay", str(folder), "--moves-only")
    assert outcome.out.startswith("Game 0 of 8; --game N shows another.\n")
    assert "└" not in outcome.out
    assert outcome.out.splitlines()[-1] == f"Moves: {' '.join(Log(folder).record(0).names)}"


def test_a_merged_log_and_a_record_are_shown_too(run, folder, tmp_path):
    run("logs merge", str(folder))
    (tmp_path / "game.json").write_text(Log(folder).record(5).to_json())
    shown = run("replay", str(folder), "--game", "5").out
    assert run("replay", f"{folder}.parquet", "--game", "5").out == shown
    assert run("replay", str(tmp_path / "game.json")).out == shown
    assert "omit --game" in run("replay", str(tmp_path / "game.json"), "--game", "5").err


def test_chance_outcomes_and_hands_are_shown(run, tmp_path):
    write(tmp_path / "log", tournament(HIGH_CARD, ("random", "greedy", "mc:sims=5"), games=3))
    out = run("replay", str(tmp_path / "log"), "--game", "1").out
    assert out.startswith("player 1 greedy · player 2 mc:sims=5 · player 3 random\n")
    assert out.count("chance: deal") == 6
    assert "Score:" in out


def test_a_fault_is_named(run, tmp_path):
    def fault(games):
        games.turns[1], games.moves[1] = games.turns[1][:3], games.moves[1][:3]
        games.outcome[1], games.fault_seat[1], games.fault[1] = 3, 1, "greedy took 10 s [sic]"

    write(tmp_path / "log", tournament(games=2), fault)
    out = run("replay", str(tmp_path / "log"), "--game", "1").out
    assert "Yellow lost by timeout: greedy took 10 s [sic]" in out


def test_a_game_played_under_other_rules_is_refused(run, tmp_path):
    rules = tmp_path / "nim.py"
    toys = TOYS.read_text()
    rules.write_text(toys)
    write(tmp_path / "log", tournament(f"{rules}:Nim", games=1))
    rules.write_text(toys.replace("heap: int = 21", "heap: int = 22"))
    outcome = run("replay", str(tmp_path / "log"))
    assert outcome.code == 2
    assert "under the current rules, the game is not over after its last move." in outcome.err
    assert ": column " not in outcome.out


@pytest.mark.parametrize("words", [("replay",), ("logs", "merge"), ("logs", "export", "--csv")])
def test_a_path_without_a_log_is_reported_in_one_sentence(run, tmp_path, words):
    outcome = run(words[0], *words[1:], str(tmp_path / "nothing"))
    assert outcome.code == 2
    assert outcome.err.startswith("kibitz: There is no log in")
    (tmp_path / "empty").touch()
    outcome = run(words[0], *words[1:], str(tmp_path / "empty"))
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1


def test_an_unfinished_log_has_no_game_to_show(run, tmp_path):
    LogWriter(tmp_path / "log", tournament()).close()
    assert "No game of the log" in run("replay", str(tmp_path / "log")).err
