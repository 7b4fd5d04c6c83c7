"""What the engine `ray` runs on the nodes of a cluster: a relay between Ray and a worker process beside it.

The worker is that of the engine `processes`, so a game plays alike on both, and one that kills its worker does not kill
the relay. The code of this module is sent to the nodes, where kibitz may be missing: it imports kibitz late.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kibitz.cluster.node import Kit, first_alone, unpack

if TYPE_CHECKING:
    from kibitz.tournament.plan import Plan, Task


class Relay:
    """Passes batches on to a worker. `end` may be called while another method is running."""

    def __init__(self) -> None:
        self._worker: Any = None
        self._folder = self._digest = self._guest_cache = ""

    def prepare(self, kit: Kit) -> tuple[str, str]:
        """Unpack a kit; return the name of this node and what it lacks, if anything."""
        problem, self._folder = unpack(kit)
        self._digest = kit.digest
        return os.uname().nodename, problem

    def start(self, plan: Plan) -> str:
        """Start a worker and let it compile; return what went wrong, if anything."""
        from kibitz.errors import KibitzError
        from kibitz.tournament.executors.processes import Worker

        if plan.terms.cache is not None and not os.path.isdir(plan.terms.cache):  # on another machine
            self._guest_cache = _guest_cache_of(plan)
            plan = replace(plan, terms=replace(plan.terms, cache=self._guest_cache))

        environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
        with first_alone(f"{self._digest} {plan!r}"):
            self._worker = Worker(plan, [], self._folder, environment)
            answer = self._answer()
        if answer is None:
            return "a worker died there as it started"
        return str(answer[0]) if isinstance(answer[0], KibitzError) else ""

    def work(self, batch: list[Task]) -> Any:
        """The games of a batch, or an error, and how long they took; None if the worker died."""
        self._worker.send(batch)
        return self._answer()

    def _answer(self) -> Any:
        from kibitz.tournament.executors.processes import with_news

        with_news([self._worker])
        return self._worker.answer()

    def end(self) -> None:
        """End the worker, whatever it is doing."""
        if self._worker is not None:
            self._worker.terminate()
        if self._guest_cache:
            shutil.rmtree(self._guest_cache, ignore_errors=True)


def _guest_cache_of(plan: Plan) -> str:
    """The folder for what bots compile that are not trusted, the same for all workers of a tournament on this node.

    It bears the number of the process to which the node belongs, so that it is removed once that has ended.
    """
    from kibitz.players.guest_cache import guest_cache

    name = hashlib.sha256(repr(plan).encode()).hexdigest()[:16]
    folder = guest_cache().with_name(f"kibitz-{os.getppid()}-{name}")
    folder.mkdir(0o700, exist_ok=True)
    return str(folder)
