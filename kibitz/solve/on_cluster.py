"""Value iteration on a cluster: layers that do not need each other are solved by different workers.

Each layer is solved as on one machine, so that the values are the same to the last bit. They all come back to this
process, which passes them on to those who need them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kibitz.cluster import connected, pack
from kibitz.cluster.crew import LOST, Crew, Hand
from kibitz.compiler import is_plain
from kibitz.errors import KibitzError
from kibitz.rules.registry import spec_of
from kibitz.rules.source import sources_of
from kibitz.rules.spec import parse_spec
from kibitz.solve import layer_solver
from kibitz.solve.iteration import VALUE_BYTES, Iteration


def run_on_cluster(
    iteration: Iteration, memory: int, workers: int | None, address: str | None, meanwhile: Callable[[], None]
) -> Iterator[int]:
    """Solve all layers; yield the index of each once it is solved. `memory` is that of each worker, in bytes.

    `meanwhile` is called now and then.
    """
    spec = spec_of(iteration.game)
    if is_plain():
        raise KibitzError("Plain mode is for debugging; leave out the engine ray.")
    waiting = iteration.unsolved()
    if not waiting:
        return
    file = parse_spec(spec).file
    kit = pack(sources_of(file[0]) if file else ())
    orders = layer_solver.Orders(spec, iteration.tolerance, memory)
    with (
        connected(address, workers, VALUE_BYTES * sum(layer.size for layer in iteration.layers)) as ray,
        Crew(ray, layer_solver.LayerSolver, layer_solver, kit, orders, workers) as crew,
    ):
        sent: dict[int, Any] = {}  # the values of solved layers, in Ray's memory
        known: dict[Hand, set[int]] = {}  # the layers whose values a worker has
        while waiting or crew.working:
            for place in [place for place in waiting if iteration.can_begin(place)][: len(crew.idle)]:
                hand = crew.idle[-1]
                has = known.setdefault(hand, set())
                new = [needed for needed in iteration.layers[place].needs if needed not in has]
                sent.update(
                    {needed: ray.put(iteration.store.layer_values(needed)) for needed in new if needed not in sent}
                )
                has.update(new, [place])
                crew.send(hand, place, place, new, *(sent[needed] for needed in new))
                waiting.remove(place)
            for hand, answer in crew.news():
                if answer is LOST:
                    waiting.append(hand.job)
                    continue
                if isinstance(answer, KibitzError):
                    raise answer
                iteration.take(hand.job, *answer)
                yield hand.job
            meanwhile()
