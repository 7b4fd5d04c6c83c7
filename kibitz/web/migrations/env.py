"""Alembic runs this to bring a database up to date, over the connection that kibitz/web/database.py hands it."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
