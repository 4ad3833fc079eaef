"""Seats can be resigned, tables adjourned, decisions taken back, and lines of chat can be reactions."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    for name in ("adjourned", "resumed", "time_left"):
        op.add_column("sitting", sa.Column(name, sa.Float(53)))
    op.add_column("sitting", sa.Column("undo_of", sa.String(32)))
    op.add_column("sitting", sa.Column("goes_on", sa.String(32)))
    op.add_column("seat", sa.Column("resigned", sa.Float(53)))
    op.add_column("seat", sa.Column("adjourns", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("chat", sa.Column("reaction", sa.String(20)))
