"""A store that takes its time and keeps nothing but JSON, and visitors who always meet a restored room."""

import asyncio
import contextlib

from visitors import Client

from kibitz.web.peers import Alone
from kibitz.web.playthrough import Phase
from kibitz.web.snapshots import RoomSnapshot


class SlowStore:
    """Keeps the JSON of every table, slowly."""

    def __init__(self, seconds=0.002):
        self.seconds = seconds
        self.texts = {}
        self.versions = []  # of what was saved, in order
        self.time = 0.0
        self.peers = Alone()

    async def load(self, key):
        await asyncio.sleep(self.seconds)
        return RoomSnapshot.from_json(self.texts[key]) if key in self.texts else None

    async def save(self, snapshot, after):
        text = snapshot.to_json()
        await asyncio.sleep(self.seconds)
        before = self.texts.get(snapshot.id)
        assert after == (None if before is None else RoomSnapshot.from_json(before).version)
        self.texts[snapshot.id] = text
        self.versions.append(snapshot.version)

    async def drop_expired(self, in_use):
        return 0

    async def load_time(self):
        return self.time

    async def keep_time(self, seconds):
        self.time = seconds

    async def close(self):
        pass


class ForgetfulClient(Client):
    """A client of a server that puts every room away as soon as nobody watches it."""

    @contextlib.contextmanager
    def at(self, answer, token=True):
        self.run(self.put_away, answer["id"])
        with super().at(answer, token) as browser:
            yield browser

    async def put_away(self, key):
        room = self.server.lobby.find(key)
        if room is not None and not room.audience.watchers and room.phase is not Phase.PREPARING:
            assert await self.server.lobby.put_away(room)
            assert self.server.lobby.find(key) is None
