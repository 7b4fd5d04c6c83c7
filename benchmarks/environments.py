"""How fast the environments for reinforcement learning are, beside pgx and PettingZoo's own Connect Four.

    python benchmarks/environments.py vector                        # VectorEnv in every game, by random actions
    python benchmarks/environments.py vector --threads 2            # the same with threads, by the clock on the wall
    python benchmarks/environments.py pgx --python .pgx/bin/python  # Connect Four beside pgx
    python benchmarks/environments.py pettingzoo                    # every game beside PettingZoo's connect_four_v3

Figures are steps per second of CPU time on one core, so that a busy machine gives about the same ones; with threads,
steps per second. What is compared alternates in one run. Each figure is the median of five rounds after a first one
that is not counted. pgx needs Python with JAX:

    python -m venv .pgx && .pgx/bin/pip install jax pgx
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import kibitz
from kibitz.adapters import pettingzoo

GAMES = ["ur", "connect_four", "separo", "hexplode", "camelup", "mexican_train"]
COUNTS = {"camelup": (2, 8), "mexican_train": (2, 8)}  # fewest and most players, where they vary
ROUNDS = 5
SECONDS = 0.5  # of a round, about

# Random games of Connect Four in pgx, as its documentation plays them: everything in one compiled loop, on one core.
PGX = """
import os, sys, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
import jax, jax.numpy as jnp, pgx
from pgx.experimental.wrappers import auto_reset

tables, steps = int(sys.argv[1]), 500
env = pgx.make("connect_four")
step = auto_reset(env.step, env.init)

def play(carry, _):
    state, key = carry
    key, choice, games = jax.random.split(key, 3)
    actions = jnp.argmax(jax.random.uniform(choice, state.legal_action_mask.shape) * state.legal_action_mask, axis=1)
    return (jax.vmap(step)(state, actions, jax.random.split(games, tables)), key), None

run = jax.jit(lambda state, key: jax.lax.scan(play, (state, key), None, length=steps)[0])
state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), tables))
state, key = run(state, jax.random.PRNGKey(1))
for line in sys.stdin:
    began = time.process_time()
    state, key = run(state, key)
    jax.block_until_ready(state)
    print(tables * steps / (time.process_time() - began), flush=True)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["vector", "pgx", "pettingzoo"])
    parser.add_argument("--games", nargs="*", default=GAMES)
    parser.add_argument("--tables", type=int, default=1024)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--python", default="python", help="the Python that has JAX and pgx")
    options = parser.parse_args()
    if options.what == "vector":
        for game in options.games:
            vector(game, options.tables, options.threads)
    elif options.what == "pgx":
        beside_pgx(options.python, options.tables)
    else:
        beside_pettingzoo(options.games)


def rate(steps: int, run: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Steps per second."""
    began = clock()
    run()
    return steps / (clock() - began)


def medians(*measures: Callable[[], float]) -> list[float]:
    """The median of each measure, all in turn, after a first round that is not counted."""
    rounds = [[measure() for measure in measures] for _ in range(ROUNDS + 1)]
    return [statistics.median(column) for column in zip(*rounds[1:], strict=True)]


def random_steps(game: str, tables: int, threads: int = 1, **options: Any) -> Callable[[], float]:
    """A measure of random actions at many tables."""
    env = kibitz.VectorEnv(game, tables=tables, seed=1, threads=threads, **options)
    clock = time.process_time if threads == 1 else time.perf_counter

    def run(times: int) -> None:
        for _ in range(times):
            env.step(env.random_actions())

    times = max(1, int(SECONDS * rate(20, lambda: run(20))))
    return lambda: rate(times * tables, lambda: run(times), clock)


def vector(game: str, tables: int, threads: int) -> None:
    """Steps with observations and masks, and without."""
    everything = random_steps(game, tables, threads)
    masks = random_steps(game, tables, threads, observations=False)
    nothing = random_steps(game, tables, threads, observations=False, masks=False)
    figures = [f"{found / 1e6:.2f}" for found in medians(everything, masks, nothing)]
    print(f"| {game} | {' | '.join(figures)} |", flush=True)


def beside_pgx(python: str, tables: int) -> None:
    """Connect Four beside pgx, both on one core."""
    pgx = subprocess.Popen(
        [python, "-c", PGX, str(tables)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert pgx.stdin is not None and pgx.stdout is not None
    asked, answers = pgx.stdin, pgx.stdout

    def measured_by_pgx() -> float:
        asked.write("\n")
        return float(answers.readline())

    ours, theirs = medians(random_steps("connect_four", tables), measured_by_pgx)
    asked.close()
    pgx.wait()
    print(f"| connect_four, {tables} tables | {ours / 1e6:.2f} | {theirs / 1e6:.2f} | {ours / theirs:.1f} × |")


def beside_pettingzoo(games: list[str]) -> None:
    """Every game, with the fewest and the most players, beside PettingZoo's Connect Four."""
    from pettingzoo.classic import connect_four_v3

    variants = [f"{game}:players={count}" for game in games for count in COUNTS.get(game, ())]
    variants += [game for game in games if game not in COUNTS]
    for variant in variants:
        ours, theirs = medians(random_agents(pettingzoo.env(variant)), random_agents(connect_four_v3.env()))
        print(f"| {variant} | {ours / 1e3:.1f} | {theirs / 1e3:.1f} | {ours / theirs:.1f} × |", flush=True)


def random_agents(env: Any) -> Callable[[], float]:
    """A measure of random agents, which act as in PettingZoo's own benchmark."""
    chosen = random.Random(1)
    env.reset(seed=1)

    def run(turns: int) -> None:
        for _ in range(turns):
            observation, _, termination, truncation, _ = env.last()
            legal = np.flatnonzero(observation["action_mask"]).tolist()
            env.step(None if termination or truncation else chosen.choice(legal))
            if all(env.terminations.values()):
                env.reset()

    turns = max(1, int(SECONDS * rate(500, lambda: run(500))))
    return lambda: rate(turns, lambda: run(turns))


if __name__ == "__main__":
    main()
