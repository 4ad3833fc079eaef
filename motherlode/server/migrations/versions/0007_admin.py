"""Tables can be closed, guests banned and muted, and what administrators do is noted."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.add_column("sitting", sa.Column("closed", sa.Float(53)))
    op.add_column("guest", sa.Column("banned", sa.Float(53)))
    op.add_column("guest", sa.Column("muted", sa.Float(53)))
    op.add_column("guest", sa.Column("ban_reason", sa.String(200)))
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("made", sa.Float(53), nullable=False),
        sa.Column("what", sa.String(40), nullable=False),
        sa.Column("whom", sa.String(32), nullable=False),
        sa.Column("reason", sa.String(200), nullable=False),
    )
    op.create_index("chat_by_guest", "chat", ["guest"])
    name_the_speakers()


def name_the_speakers() -> None:
    """Of the lines so far those whose seat still has a guest of that name."""
    chat, seat, guest = (
        sa.table(name, *map(sa.column, columns))
        for name, columns in (
            ("chat", ("sitting", "seat", "name", "guest")),
            ("seat", ("sitting", "seat", "guest")),
            ("guest", ("id", "name")),
        )
    )
    speaker = (
        sa.select(guest.c.id)
        .join(seat, seat.c.guest == guest.c.id)
        .where(seat.c.sitting == chat.c.sitting, seat.c.seat == chat.c.seat, guest.c.name == chat.c.name)
        .scalar_subquery()
    )
    op.execute(chat.update().values(guest=speaker))
