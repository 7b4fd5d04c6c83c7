"""A few tables of benchmarks/load_server.py, for a moment: nothing goes wrong, and no move is lost or made twice."""

import asyncio
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
import load_server


def test_many_tables_at_once_lose_no_move():
    with load_server.serving() as server:
        players = asyncio.run(play(server))
        assert all(player.seconds for player in players)
        seen = asyncio.run(load_server.watch(server, spectators=5, moves=2))
        assert len(seen) == 2


async def play(server):
    async with load_server.thinking(server, 1):
        return await load_server.play_everywhere(server, tables=5, seconds=3)
