"""Tables on disk: what they hold, what is rejected, and how a killed run resumes."""

import json
import subprocess
import sys

import numpy as np
import pytest
from processes import wait_for

import kibitz
from kibitz.games.ur.index import position_index
from kibitz.games.ur.rules import Ur
from kibitz.rules.engine import Engine
from kibitz.solve import is_solved, solve, values_of
from kibitz.solve.files import PAGE, find_kept, kept_path, read_table
from kibitz.solve.iteration import Iteration
from kibitz.solve.packing import unpacked
from kibitz.solve.store import UnfinishedTable

TWO, ONE = Ur(pieces=2), Ur(pieces=1)
MEMORY = 10**9


@pytest.fixture
def table(tmp_path):
    """The table of a game with two pieces."""
    path = tmp_path / "ur.table"
    solve(TWO, out=path)
    return path


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """An empty cache of solutions; compiled code is cached elsewhere, so nothing is compiled again."""
    monkeypatch.setattr("kibitz.solve.files._folders", lambda: [tmp_path / "solutions"])
    return tmp_path / "solutions"


def every_value(path, game=TWO):
    packed = read_table(path, position_index(game))[1]
    return np.array([unpacked(packed, number) for number in range(position_index(game).size)])


def test_a_table_holds_every_value_with_a_small_error(table):
    label, _ = read_table(table, position_index(TWO))
    assert np.abs(every_value(table) - solve(TWO).values.reader.values).max() < 3e-8
    assert label.value == pytest.approx(0.516791183373, abs=1e-9)
    assert (label.game, label.positions, label.tolerance) == ("ur:pieces=2", 12_869, 1e-9)


def test_a_table_of_less_precise_values_is_smaller(tmp_path, table):
    path = tmp_path / "rough.table"
    solve(TWO, out=path, tolerance=1e-5)
    assert np.abs(every_value(path) - every_value(table)).max() < 3e-5  # the errors of layers add up
    assert path.stat().st_size < PAGE + 0.8 * (table.stat().st_size - PAGE) < PAGE + 3 * 12_869


def test_a_table_is_memory_mapped(table):
    words = read_table(table, position_index(TWO))[1].words
    assert isinstance(words.base, np.memmap) or isinstance(words.base.base, np.memmap)
    assert not words.flags.writeable


def test_a_table_for_more_pieces_serves_games_of_fewer(table):
    values = values_of(ONE, str(table))
    assert values.value(Engine(ONE).start()) == pytest.approx(0.526890704591, abs=1e-7)


@pytest.mark.parametrize("place", [PAGE, PAGE + 20_000])
def test_damage_is_noticed_when_a_value_is_read(table, place):
    damage(table, place)
    read_table(table, position_index(TWO))
    with pytest.raises(kibitz.KibitzError, match="is damaged; delete it"):
        values_of(TWO, str(table)).value(Engine(TWO).start())


def test_a_table_with_a_damaged_directory_is_rejected(table):
    damage(table, -1)
    with pytest.raises(kibitz.KibitzError, match="is damaged; delete it"):
        read_table(table, position_index(TWO))


def damage(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 4
    path.write_bytes(content)


@pytest.mark.parametrize("length", [PAGE - 3000, PAGE + 1000])
def test_a_truncated_table_is_rejected(table, length):
    table.write_bytes(table.read_bytes()[:length])
    with pytest.raises(kibitz.KibitzError, match="is damaged; delete it"):
        read_table(table, position_index(TWO))


def test_a_file_that_is_not_a_table_is_rejected(tmp_path):
    (tmp_path / "x").write_text("something else")
    with pytest.raises(kibitz.KibitzError, match="is not a value table of this version of kibitz; create one with"):
        read_table(tmp_path / "x", position_index(TWO))


def test_a_missing_table_is_reported_in_a_sentence(tmp_path):
    with pytest.raises(kibitz.KibitzError, match="cannot be read: No such file"):
        values_of(TWO, str(tmp_path / "nowhere"))


@pytest.mark.parametrize("other", [Ur(pieces=2, rosettes=14), Ur(pieces=3), Ur(pieces=2, safe=False)], ids=str)
def test_the_table_of_another_game_is_rejected(table, other):
    with pytest.raises(kibitz.KibitzError, match="is a table of ur:pieces=2, another game"):
        read_table(table, position_index(other))


def run_in_part(path, layers):
    """Solve `layers` more layers of a game with two pieces, as if the process had then been killed."""
    part = UnfinishedTable(path, position_index(TWO), 1e-9)
    iteration = Iteration(TWO, position_index(TWO), 1e-9, MEMORY, part)
    restored = iteration.done
    running = iteration.run(1)
    for _ in range(layers):
        next(running)
    running.close()
    part.close()
    return restored, iteration.done


def test_a_killed_run_resumes_where_it_left_off(tmp_path):
    path = tmp_path / "ur.table"
    assert run_in_part(path, 10)[0] == 0
    restored, done = run_in_part(path, 3)
    assert 0 < restored < done
    assert run_in_part(path, 0) == (done, done)


@pytest.mark.slow
def test_a_process_that_was_killed_leaves_its_finished_layers(tmp_path):
    path = tmp_path / "ur.table"
    waits = (
        f"solve('ur:pieces=2', out=Path({str(path)!r}), progress=lambda done, total: done > 5000 and time.sleep(600))"
    )
    program = f"import time; from pathlib import Path; from kibitz.solve import solve; {waits}"
    process = subprocess.Popen([sys.executable, "-c", program])
    part = tmp_path / "ur.table.part"
    wait_for(lambda: part.exists() and part.stat().st_size > PAGE + 8 * 12_869 + 10)
    process.kill()
    process.wait()
    assert run_in_part(path, 0)[0] > 0
    assert solve(TWO, out=path).label.value == pytest.approx(0.516791183373, abs=1e-9)


def test_a_resumed_run_ends_with_the_same_table(tmp_path, table):
    path = tmp_path / "resumed.table"
    run_in_part(path, 12)
    solve(TWO, out=path)
    assert path.read_bytes()[PAGE:] == table.read_bytes()[PAGE:]
    assert not (tmp_path / "resumed.table.part").exists()


def test_layers_whose_entries_or_values_are_damaged_are_solved_again(tmp_path, table):
    path, part = tmp_path / "torn.table", tmp_path / "torn.table.part"
    _, done = run_in_part(path, 12)
    part.write_bytes(part.read_bytes()[:-1])
    restored, _ = run_in_part(path, 0)
    assert 0 < restored < done
    damage(part, PAGE)  # in the first layer, so that none can be trusted
    assert run_in_part(path, 0)[0] == 0
    solve(TWO, out=path)
    assert path.read_bytes()[PAGE:] == table.read_bytes()[PAGE:]


def test_a_run_with_another_tolerance_is_not_resumed(tmp_path):
    path = tmp_path / "ur.table"
    run_in_part(path, 2)
    with pytest.raises(kibitz.KibitzError, match=r"\.part belongs to another game or tolerance; delete it"):
        solve(TWO, out=path, tolerance=1e-5)


def test_a_folder_that_cannot_be_written_is_reported_in_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(kibitz.KibitzError, match="cannot be written"):
        solve(ONE, out=tmp_path / "file" / "ur.table")


def test_a_game_that_does_not_fit_into_memory_leaves_no_file(tmp_path):
    with pytest.raises(kibitz.KibitzError, match=r"which take \d+\.\d MB to solve; allow more with --memory"):
        solve(Ur(pieces=4), out=tmp_path / "ur.table", memory=1000)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("most", "ends"), [(5000, "of 12,869 positions are solved, and the same command continues."), (-1, "")]
)
def test_a_run_that_is_interrupted_says_whether_the_same_command_continues(tmp_path, monkeypatch, most, ends):
    path, said = tmp_path / "ur.table", []

    def interrupt(done, total):
        if done > most:
            raise KeyboardInterrupt

    monkeypatch.setattr(Iteration, "run", run_one_by_one)
    monkeypatch.setattr("kibitz.notices.listener", lambda notice, text: said.append(text))
    with pytest.raises(KeyboardInterrupt):
        solve(TWO, out=path, progress=interrupt)
    sentences = [text for text in said if text.startswith("Stopped")]
    assert bool(sentences) == bool(ends) == bool(list(tmp_path.iterdir()))
    assert all(sentence.endswith(ends) for sentence in sentences)
    monkeypatch.undo()
    assert not ends or run_in_part(path, 0)[0] > most


def test_a_resumed_run_that_is_interrupted_at_once_keeps_what_there_was(tmp_path, monkeypatch):
    path, said = tmp_path / "ur.table", []
    _, done = run_in_part(path, 10)

    def interrupt(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("kibitz.solve.Iteration", interrupt)
        patch.setattr("kibitz.notices.listener", lambda notice, text: said.append(text))
        with pytest.raises(KeyboardInterrupt):
            solve(TWO, out=path)
    assert said == [f"Stopped; {done:,} of 12,869 positions are solved, and the same command continues."]
    assert run_in_part(path, 0)[0] == done


def run_one_by_one(iteration, threads, meanwhile):
    """Solve the layers in this thread, and say so before each."""
    while waiting := [place for place in iteration.unsolved() if iteration.can_begin(place)]:
        meanwhile()
        yield iteration.solve_layer(waiting[0])


def test_small_games_are_solved_once_and_stored(own_cache):
    assert is_solved(ONE)
    first = values_of(ONE)
    assert find_kept(position_index(ONE)) == kept_path(position_index(ONE))
    again = values_of(ONE)
    assert len(again.reader.packed.words) > 1
    start = Engine(ONE).start()
    assert first.value(start) == again.value(start)


def test_the_smallest_table_that_is_large_enough_is_found(own_cache):
    own_cache.mkdir()
    for positions in (100, 20_000, 300_000):
        (own_cache / f"{position_index(TWO).name}-{positions}.values").write_text("")
    assert find_kept(position_index(TWO)).stem.endswith("-20000")
    assert find_kept(position_index(Ur(pieces=5))) is None


def test_a_table_is_also_found_in_a_folder_that_is_only_read(tmp_path, monkeypatch):
    index = position_index(TWO)
    read, own = (tmp_path / name / "solutions" / f"{index.name}-{index.size}.values" for name in ("host", "own"))
    read.parent.mkdir(parents=True)
    read.touch()
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path / "own"))
    assert find_kept(index) is None
    monkeypatch.setenv("KIBITZ_CACHE_READ", str(tmp_path / "host"))
    assert find_kept(index) == read
    assert kept_path(index) == own
    own.parent.mkdir(parents=True)
    own.touch()
    assert find_kept(index) == own


def test_large_games_are_not_solved_on_demand(own_cache):
    assert not is_solved(Ur(pieces=7))
    with pytest.raises(kibitz.KibitzError, match="run `kibitz solve ur:pieces=7` once"):
        values_of(Ur(pieces=7))


def test_a_label_is_readable_text(table):
    page = table.read_bytes()[:PAGE].decode()
    assert page.startswith("kibitz table of values")
    assert json.loads(page.split("\n")[1])["game"] == "ur:pieces=2"
