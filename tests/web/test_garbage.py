"""The garbage collector looks at new objects by the clock, and never in between."""

from __future__ import annotations

import asyncio
import gc
import weakref
from typing import Any

import pytest

from kibitz.web import garbage


class Circle:
    """Something that refers to itself."""

    def __init__(self) -> None:
        self.itself: Any = self


async def while_collecting(visit: Any) -> None:
    """Do something while garbage is collected regularly."""
    chore = asyncio.create_task(garbage.collect_regularly())
    await asyncio.sleep(0)
    try:
        await visit()
    finally:
        chore.cancel()
        await asyncio.wait([chore])


def test_a_new_circle_is_freed_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    async def visit() -> None:
        circle = weakref.ref(Circle())
        while circle() is not None:  # if it were not freed, this would never end
            await asyncio.sleep(0)

    monkeypatch.setattr(garbage, "NEW_SECONDS", 0.0)
    asyncio.run(while_collecting(visit))


def test_an_old_circle_is_freed_by_a_look_at_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    async def visit() -> None:
        circle = Circle()
        gc.collect()  # now it is old
        gone = weakref.ref(circle)
        del circle
        while gone() is not None:
            await asyncio.sleep(0)

    monkeypatch.setattr(garbage, "NEW_SECONDS", 0.0)
    monkeypatch.setattr(garbage, "LOOKS", 10)
    asyncio.run(while_collecting(visit))


def test_in_between_nothing_is_looked_at() -> None:
    looks = []

    async def visit() -> None:
        gc.callbacks.append(lambda phase, about: looks.append(about["generation"]))
        many = [[] for _ in range(100_000)]  # by default, these would be looked at a hundred times
        gc.callbacks.pop()
        assert many

    asyncio.run(while_collecting(visit))
    assert not looks


def test_after_two_servers_the_collector_works_as_usual() -> None:
    async def visit() -> None:
        assert not gc.isenabled()
        first, second = (asyncio.create_task(garbage.collect_regularly()) for _ in range(2))
        await asyncio.sleep(0)
        for chore in (first, second):  # the one that began first ends first
            chore.cancel()
            await asyncio.wait([chore])

    asyncio.run(while_collecting(visit))
    assert gc.isenabled()
