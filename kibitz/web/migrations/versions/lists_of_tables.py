"""What lists of tables need: a summary of every room, whose it is, whether it is listed, and when it was last used."""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

ROOMS = sa.table("rooms", *map(sa.column, ("id", "phase", "since", "used_at", "summary", "snapshot")))
OWNERS = sa.table("room_owners", *map(sa.column, ("visitor", "room", "is_host", "seats")))


def upgrade() -> None:
    op.execute("ALTER TABLE rooms RENAME COLUMN saved_at TO used_at")
    op.add_column("rooms", sa.Column("since", sa.Float(53), nullable=False, server_default="0"))
    op.add_column("rooms", sa.Column("is_listed", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("rooms", sa.Column("summary", sa.Text, nullable=False, server_default=""))
    op.create_table(
        "room_owners",
        sa.Column("visitor", sa.String(64), primary_key=True),
        sa.Column("room", sa.String(64), primary_key=True),
        sa.Column("is_host", sa.Boolean, nullable=False),
        sa.Column("seats", sa.Text, nullable=False),
    )
    connection = op.get_bind()
    for key in connection.scalars(sa.select(ROOMS.c.id)).all():
        _convert(connection, key)
    op.create_index("rooms_in_lists", "rooms", ["is_listed", "phase", "since", "id"])
    op.create_index("rooms_in_lists_by_game", "rooms", ["is_listed", "game", "phase", "since", "id"])
    op.create_index("rooms_by_use", "rooms", ["phase", "used_at"])
    op.create_index("room_owners_by_room", "room_owners", ["room"])


def _convert(connection: sa.Connection, key: str) -> None:
    """Bring the snapshot of a room from format 5 to format 6. It was set up when nobody could find it in a list."""
    document = json.loads(connection.scalar(sa.select(ROOMS.c.snapshot).where(ROOMS.c.id == key)) or "{}")
    if document.get("format") != 5:
        return  # it could not be read any more even before
    document |= {"format": 6, "is_listed": False, "summary": _summary(document)}
    values = {"snapshot": json.dumps(document, separators=(",", ":")), "summary": json.dumps(document["summary"])}
    connection.execute(sa.update(ROOMS).where(ROOMS.c.id == key).values(since=ROOMS.c.used_at, **values))
    for grant in document["grants"]:
        if grant["host"] or grant["seats"]:
            owner = {"visitor": grant["visitor"], "is_host": grant["host"], "seats": json.dumps(grant["seats"])}
            connection.execute(sa.insert(OWNERS).values(room=key, **owner))


def _summary(document: dict[str, Any]) -> dict[str, Any]:
    """As much as can be known without the rules; it is made anew when the room is next saved."""
    seats = [
        {
            "name": f"Player {number}" if seat["name"] == "You" else seat["name"],
            "is_bot": seat["bot"] is not None,
            "is_open": seat["is_open"],
            "has_won": False,
        }
        for number, seat in enumerate(document["seats"], 1)
    ]
    plies = len(document["table"]["plies"]) if document["table"] else 0
    same = {name: document[name] for name in ("game", "title", "clock")}
    return {**same, "seats": seats, "plies": plies, "result": ""}
