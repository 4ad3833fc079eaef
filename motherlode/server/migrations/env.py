"""How Alembic reaches the database: through the connection that the storage hands it."""

from alembic import context

from motherlode.server.schema import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
with context.begin_transaction():
    context.run_migrations()
