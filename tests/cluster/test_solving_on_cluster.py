"""Value iteration on a cluster."""

import signal

import numpy as np
import pytest
from processes import descendants_with, send_signal, wait_for
from toys import DiceRace

import kibitz
from kibitz import KibitzError
from kibitz.solve import solve
from kibitz.solve.files import read_table
from kibitz.solve.index import own_index
from kibitz.solve.iteration import Iteration
from kibitz.solve.on_cluster import run_on_cluster

MEMORY = 10**9


@pytest.mark.slow
def test_a_cluster_finds_the_same_values_even_if_a_worker_is_killed(machines):
    game = kibitz.game("ur:pieces=2")
    alone, together = (Iteration(game, own_index(game), 1e-9, MEMORY) for _ in range(2))
    assert sum(1 for _ in alone.run(threads=1)) == len(alone.layers)
    solved = []
    for place in run_on_cluster(together, MEMORY, 2, None, lambda: None):
        solved.append(place)
        if len(solved) == 3:
            send_signal(wait_for(lambda: descendants_with("ray::LayerSolver"))[0], signal.SIGKILL)
    assert sorted(solved) == list(range(len(alone.layers)))
    assert np.array_equal(alone.store.values, together.store.values)
    assert together.sweeps == alone.sweeps


@pytest.mark.slow
def test_a_table_begun_by_threads_is_finished_by_a_cluster(machines, tmp_path):
    def stop(done, total):
        if done > 100:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve("ur:pieces=2", out=tmp_path / "part", threads=1, progress=stop)
    assert (tmp_path / "part.part").exists()
    solve("ur:pieces=2", out=tmp_path / "part", engine="ray")
    solve("ur:pieces=2", out=tmp_path / "whole")
    part, whole = (read_table(tmp_path / name, own_index(kibitz.game("ur:pieces=2")))[1] for name in ("part", "whole"))
    assert all(np.array_equal(mine, theirs) for mine, theirs in zip(part, whole, strict=True))


@pytest.mark.parametrize("game", ["connect_four:columns=2,rows=2", DiceRace()])
def test_a_game_without_layers_says_that_a_cluster_is_no_help(game):
    with pytest.raises(KibitzError, match="is not divided into layers that could be solved independently"):
        solve(game, engine="ray")


def test_an_engine_must_exist():
    with pytest.raises(KibitzError, match="There is no engine 'dask' to solve games; choose one of threads, ray"):
        solve("ur:pieces=1", engine="dask")
    with pytest.raises(KibitzError, match="An address is for the engine ray; the engine threads runs on this machine"):
        solve("ur:pieces=1", address="auto")
