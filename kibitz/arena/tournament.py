"""A tournament from specs to result."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence

from kibitz.arena.match import Played
from kibitz.arena.result import ArenaResult
from kibitz.arena.schedule import schedule
from kibitz.arena.workers import play_games
from kibitz.bots import bot, is_reproducible
from kibitz.errors import KibitzError
from kibitz.game import Game
from kibitz.games import game as find_game


def arena(
    game: Game | str,
    specs: Sequence[str],
    games: int = 100,
    seed: int | str = 0,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ArenaResult:
    """Play a tournament of `games` games: all pairs of bots where two play, else tables with the seats rotated.

    The result depends on the seed, not on the number of workers (None: all cores, when that is faster).
    `progress(done, total)` is called after every game. Ctrl-C ends the tournament early: the result holds what is
    finished and says that it was `interrupted`.
    """
    rules = find_game(game) if isinstance(game, str) else game
    if not specs:
        raise KibitzError("A tournament needs at least one bot.")
    if games < 1:
        raise KibitzError(f"A tournament needs at least one game, not {games}.")
    if workers is not None and workers < 1:
        raise KibitzError(f"A tournament needs at least one worker, not {workers}.")
    for spec in specs:
        bot(spec, rules)  # an impossible spec is refused before anything is played
    seatings = schedule(rules.players, len(specs), games)
    finished: list[Played] = []
    started = time.perf_counter()
    interrupted = False
    try:
        with contextlib.closing(play_games(rules, specs, seed, seatings, workers)) as stream:
            for played in stream:
                finished.append(played)
                if progress:
                    progress(len(finished), games)
    except KeyboardInterrupt:
        interrupted = True
    return ArenaResult(
        game=rules,
        specs=tuple(specs),
        seed=seed,
        played=tuple(sorted(finished, key=lambda played: played.seating.game)),
        seconds=time.perf_counter() - started,
        reproducible=all(is_reproducible(spec, rules) for spec in specs),
        interrupted=interrupted,
    )
