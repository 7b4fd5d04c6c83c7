"""Self-play on a cluster: the batches of a round are played by workers wherever Ray finds a CPU.

A batch whose worker is lost is played again by another one. All examples come back to this process, which alone learns.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kibitz.cluster import connected, pack
from kibitz.cluster.crew import LOST, Crew
from kibitz.compiler import is_plain
from kibitz.errors import KibitzError
from kibitz.learn.watched_features import watched_features
from kibitz.learn.zero import batch_player
from kibitz.learn.zero.examples import Examples
from kibitz.learn.zero.network import Network
from kibitz.rules.registry import can_be_found, spec_of
from kibitz.rules.source import sources_of
from kibitz.rules.spec import parse_spec

if TYPE_CHECKING:
    from kibitz.learn.zero.batches import Batches

MOST_LOSSES = 20  # of workers with the same batch; a node can die at any time


class ClusterPlayers:
    """Workers on the Ray cluster at an address, or else on one that is started on this machine."""

    def __init__(self, batches: Batches, workers: int, address: str | None) -> None:
        if is_plain():
            raise KibitzError("Plain mode is for debugging; leave out the engine ray.")
        if not can_be_found(batches.game):
            raise KibitzError(f"Workers cannot find the game {spec_of(batches.game)}; name it as path/file.py:Class.")
        self._batches, self._workers, self._address = batches, workers, address
        self._stack = contextlib.ExitStack()
        self._losses: Counter[int] = Counter()  # by the number of a batch

    def prepare(self) -> None:
        """Connect, and wait until a worker has compiled what it takes."""
        game, _, manner, seed, games, teacher = self._batches
        spec = spec_of(game)
        files = [parse_spec(named).file for named in (spec, teacher) if named]
        kit = pack(source for file in files if file for source in sources_of(file[0]))
        orders = batch_player.BatchOrders(spec, watched_features(game).digest, manner, seed, games, teacher)
        self._ray: Any = self._stack.enter_context(connected(self._address, self._workers))
        crew = Crew(self._ray, batch_player.BatchPlayer, batch_player, kit, orders, self._workers)
        self._crew = self._stack.enter_context(crew)
        while not crew.idle:
            for _ in crew.news():
                pass

    def play(self, network: Network | None, numbers: Sequence[int]) -> list[Examples]:
        crew, weights = self._crew, self._ray.put(network and tuple(network))
        waiting = list(reversed(numbers))
        found: dict[int, Examples] = {}
        while len(found) < len(numbers):
            while waiting and crew.idle:
                crew.send(crew.idle[-1], waiting[-1], weights, waiting.pop())
            for hand, answer in crew.news():
                if answer is LOST:
                    self._take_back(hand.job)
                    waiting.append(hand.job)
                elif isinstance(answer, KibitzError):
                    raise answer
                else:
                    found[hand.job] = answer
        return [found[number] for number in numbers]

    def _take_back(self, number: int) -> None:
        self._losses[number] += 1
        if self._losses[number] == MOST_LOSSES:
            raise KibitzError(
                f"{MOST_LOSSES} workers were lost while playing batch {number}; leave out the engine ray to see why."
            )

    def close(self) -> None:
        self._stack.close()
