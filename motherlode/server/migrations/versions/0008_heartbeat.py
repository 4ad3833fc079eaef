"""A row to try writes with; and how many seats and actions every table has, so that missing ones are noticed."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "heartbeat", sa.Column("id", sa.Integer, primary_key=True), sa.Column("made", sa.Float(53), nullable=False)
    )
    for name, rows in (("seats", "seat"), ("actions", "log")):
        op.add_column("sitting", sa.Column(name, sa.Integer, nullable=False, server_default="0"))
        op.execute(f"UPDATE sitting SET {name} = (SELECT count(*) FROM {rows} WHERE {rows}.sitting = sitting.id)")
