"""The rooms, each with its latest snapshot, and the server's time."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "rooms",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("phase", sa.String(16), nullable=False),
        sa.Column("saved_at", sa.Float(53), nullable=False),
        sa.Column("snapshot", sa.Text, nullable=False),
    )
    op.create_table(
        "server_time",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("seconds", sa.Float(53), nullable=False),
    )
    op.execute("INSERT INTO server_time (id, seconds) VALUES (1, 0)")


def downgrade() -> None:
    op.drop_table("server_time")
    op.drop_table("rooms")
