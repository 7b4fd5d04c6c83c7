"""Bots, move by move."""

from pathlib import Path

TOYS = Path(__file__).parent.parent / "toys.py"


def test_every_move_is_shown_with_its_board_and_the_result_at_the_end(run):
    outcome = run("watch connect_four random random --seed 1")
    assert outcome.code == 0
    moves = [line for line in outcome.out.splitlines() if ": column " in line]
    boards = outcome.out.count("└")
    assert len(moves) == boards > 6
    last = outcome.out.splitlines()[-1].removeprefix("Moves: ").split()
    assert [line.split(": column ")[1].split()[0] for line in moves] == last
    assert "wins." in outcome.out or "A draw." in outcome.out


def test_boards_can_be_omitted(run):
    assert "└" not in run("watch connect_four random random --moves-only").out


def test_the_same_seed_gives_the_same_game(run):
    first, again, other = (run(f"watch connect_four random --seed {seed}").out.splitlines()[-1] for seed in (1, 1, 2))
    assert first == again != other


def test_chance_outcomes_are_shown(run):
    out = run(f"watch {TOYS}:DiceRace random random --seed 3").out
    assert "chance: rolled" in out


def test_the_last_bot_takes_the_remaining_seats(run):
    out = run(f"watch {TOYS}:HighCard mc:sims=6 random").out
    assert "player 1 mc:sims=6 · player 2 random · player 3 random" in out
    assert "Score:" in out


def test_without_a_seed_the_game_shows_a_fresh_one_that_repeats_it(run, monkeypatch):
    monkeypatch.setattr("kibitz.rules.rng.fresh_seed", lambda: 31)
    first = run("watch connect_four random --moves-only").out
    assert "(seed 31)" in first.splitlines()[0]
    assert run("watch connect_four random --moves-only --seed 31").out.splitlines()[-1] == first.splitlines()[-1]


def test_with_a_bot_from_a_file_the_game_has_a_secret_which_repeats_it(run, tmp_path, monkeypatch):
    (tmp_path / "lucky.py").write_text("class Lucky:\n    choose = lambda self, view: view.rng.choice(view.moves)\n")
    monkeypatch.setattr("kibitz.rules.rng.fresh_secret", iter(("ab" * 16, "cd" * 16)).__next__)
    command = f"watch {TOYS}:DiceRace {tmp_path}/lucky.py:Lucky random --moves-only --seed 1"
    first, other = (run(command).out.splitlines() for _ in range(2))
    assert first[-1] == f"To repeat the game: seed 1, secret {'ab' * 16}"
    assert "ab" * 16 not in " ".join(first[:-1])
    again = run(f"{command} --secret {'ab' * 16}").out.splitlines()
    assert again[-2] == first[-2] != other[-2]


def test_bots_that_ship_with_kibitz_need_no_secret(run):
    assert "secret" not in run("watch connect_four random --moves-only").out
