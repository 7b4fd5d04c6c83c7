"""Workers on a Ray cluster, each an actor that takes one CPU, wherever Ray finds one.

Workers and nodes may come and go: a worker that is lost is reported and replaced, and one that finds no CPU yet waits
for one. A node that lacks something is not used.
"""

from __future__ import annotations

import contextlib
import enum
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kibitz import notices
from kibitz.cluster import on_nodes, reason
from kibitz.cluster.node import Kit
from kibitz.errors import KibitzError

WAIT_SECONDS = 0.2  # for news, so that the caller can show progress or stop
PATIENCE_SECONDS = 10.0  # until the user is told that nobody works
FAREWELL_SECONDS = 5.0  # for workers to end by themselves
MOST_FALSE_STARTS = 10  # of workers in a row


class Stage(enum.Enum):
    """What a worker has been asked to do."""

    PREPARE = enum.auto()
    START = enum.auto()
    WORK = enum.auto()


LOST = Stage.PREPARE  # the answer of a worker that is lost: another one begins anew


@dataclass(eq=False)
class Hand:
    """A worker."""

    actor: Any
    stage: Stage = Stage.PREPARE
    node: str = ""  # the name of its machine
    job: Any = None  # what it is working on


class Crew:
    """Workers that play the same role.

    The role is a class whose code is sent to the nodes: `prepare(kit)` returns the node's name and what it lacks,
    `start(orders)` what went wrong, both empty if all is well; then come `work(…)` and, at any time, `end()`.
    """

    def __init__(self, ray: Any, role: Any, module: Any, kit: Kit, orders: Any, count: int | None) -> None:
        """`module` is that of the role. Without a `count`, there is a worker for each CPU of the cluster."""
        self._ray = ray
        cpus = max(int(ray.cluster_resources().get("CPU", 0)), 1)
        self.count = count or cpus
        self._most_refused = min(self.count, cpus)
        on_nodes(module)
        self._new_actor = ray.remote(num_cpus=1, max_concurrency=2)(role)
        self._kit, self._orders = ray.put(kit), ray.put(orders)
        self._calls: dict[Any, Hand] = {}  # what has been asked, and of whom
        self.idle: list[Hand] = []
        self._refused: list[Hand] = []  # which keep their CPUs, or Ray would place others there
        self._false_starts = 0
        self._active = time.monotonic()  # when somebody last worked
        for _ in range(self.count):
            self._hire()

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *error: object) -> None:
        """End all workers."""
        hands = [*self._calls.values(), *self.idle, *self._refused]
        errors = self._ray.exceptions.RayError
        with contextlib.suppress(errors):
            ends = [hand.actor.end.remote() for hand in hands if hand.stage is not Stage.PREPARE]
            if ends:
                self._ray.wait(ends, num_returns=len(ends), timeout=FAREWELL_SECONDS)
        for hand in hands:
            with contextlib.suppress(errors):
                self._ray.kill(hand.actor)

    @property
    def working(self) -> list[Hand]:
        """The workers that have something to do."""
        return [hand for hand in self._calls.values() if hand.stage is Stage.WORK]

    def send(self, hand: Hand, job: Any, *arguments: Any) -> None:
        """Let an idle worker call `work` with these arguments."""
        self.idle.remove(hand)
        hand.job = job
        self._calls[hand.actor.work.remote(*arguments)] = hand

    def news(self) -> Iterator[tuple[Hand, Any]]:
        """Wait a moment; yield those who have finished their jobs, and are idle again, with what `work` returned.

        For a worker that was lost in the middle of its job that is LOST; another one takes its place.
        """
        if self.working:
            self._active = time.monotonic()
        elif time.monotonic() - self._active > PATIENCE_SECONDS:
            self._active = float("inf")  # say it once
            notices.tell("No worker is ready yet; waiting for a free CPU in the cluster, or for code to compile …")
        ready, _ = self._ray.wait(list(self._calls), timeout=WAIT_SECONDS)
        if ready:  # then also the others that are
            ready, _ = self._ray.wait(list(self._calls), num_returns=len(self._calls), timeout=0)
        for call in ready:
            hand, errors = self._calls.pop(call), self._ray.exceptions
            try:
                answer = self._ray.get(call)
            except errors.RayTaskError as error:
                raise KibitzError(f"A worker on the cluster failed: {reason(error.cause)}") from None
            except errors.RayError as error:
                answer, stage = LOST, hand.stage
                self._lose(hand, reason(error))
                if stage is not Stage.WORK:
                    continue
            else:
                if hand.stage is not Stage.WORK:
                    self._go_on(hand, answer)
                    continue
                self.idle.append(hand)
            yield hand, answer

    def replace(self, hand: Hand) -> None:
        """Let another worker take the place of an idle one that is of no use any more."""
        self.idle.remove(hand)
        self._ray.kill(hand.actor)
        self._hire()

    def _hire(self) -> None:
        actor = self._new_actor.remote()
        self._calls[actor.prepare.remote(self._kit)] = Hand(actor)

    def _go_on(self, hand: Hand, answer: Any) -> None:
        """Let a worker go on to its next stage, unless there is a problem on its node."""
        if hand.stage is Stage.PREPARE:
            hand.node, problem = answer
        else:
            problem = answer
        if problem:
            self._refuse(hand, problem)
        elif hand.stage is Stage.PREPARE:
            hand.stage = Stage.START
            self._calls[hand.actor.start.remote(self._orders)] = hand
        else:
            hand.stage = Stage.WORK
            self._false_starts = 0
            self.idle.append(hand)

    def _refuse(self, hand: Hand, problem: str) -> None:
        if hand.node not in (other.node for other in self._refused):
            notices.tell(f"The node {hand.node} is not used: {problem}.")
        self._refused.append(hand)
        if len(self._refused) >= self._most_refused:
            raise KibitzError(f"No node of the cluster can be used: {hand.node}, for example: {problem}.")

    def _lose(self, hand: Hand, why: str) -> None:
        if hand.stage is Stage.WORK:
            notices.tell(f"A worker on {hand.node} was lost, or the node; another one does its work.")
        else:
            self._false_starts += 1
            if self._false_starts > MOST_FALSE_STARTS + self.count:
                raise KibitzError(f"Workers cannot be started on the cluster: {why}")
        self._ray.kill(hand.actor)
        self._hire()
