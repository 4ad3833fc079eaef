"""Guests, tables, their seats, logs and chat."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "guest",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("token", sa.LargeBinary(32), nullable=False, unique=True),
        sa.Column("recovery", sa.LargeBinary(32), nullable=False, unique=True),
        sa.Column("made", sa.Float(53), nullable=False),
    )
    op.create_table(
        "sitting",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("rules", sa.Integer, nullable=False),
        sa.Column("options", sa.JSON, nullable=False),
        sa.Column("maker", sa.String(32), nullable=False),
        sa.Column("watch", sa.Boolean, nullable=False),
        sa.Column("delay", sa.Integer, nullable=False),
        sa.Column("chat", sa.Boolean, nullable=False),
        sa.Column("open_memory", sa.Boolean, nullable=False),
        sa.Column("clock", sa.Integer),
        sa.Column("secret", sa.LargeBinary(32), nullable=False),
        sa.Column("given", sa.Integer, nullable=False),
        sa.Column("rematch_of", sa.String(32), unique=True),
        sa.Column("made", sa.Float(53), nullable=False),
        sa.Column("begun", sa.Float(53)),
        sa.Column("ended", sa.Float(53)),
    )
    op.create_index("sitting_by_end", "sitting", ["ended", "made"])
    op.create_table(
        "seat",
        sa.Column("sitting", sa.String(32), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("takes", sa.String(6)),
        sa.Column("guest", sa.String(32)),
        sa.Column("bot", sa.String(40)),
        sa.Column("program", sa.Boolean, nullable=False),
        sa.Column("left", sa.Boolean, nullable=False),
        sa.Column("code", sa.LargeBinary(32)),
    )
    op.create_index("seat_by_guest", "seat", ["guest"])
    op.create_table(
        "log",
        sa.Column("sitting", sa.String(32), primary_key=True),
        sa.Column("at", sa.Integer, primary_key=True),
        sa.Column("actor", sa.Integer, nullable=False),
        sa.Column("action", sa.Integer, nullable=False),
        sa.Column("made", sa.Float(53), nullable=False),
        sa.Column("link", sa.LargeBinary(32)),
    )
    op.create_table(
        "chat",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("sitting", sa.String(32), nullable=False),
        sa.Column("seat", sa.Integer),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("text", sa.String(500), nullable=False),
        sa.Column("made", sa.Float(53), nullable=False),
    )
    op.create_index("chat_by_sitting", "chat", ["sitting", "id"])
