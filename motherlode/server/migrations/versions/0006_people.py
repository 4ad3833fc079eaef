"""Whose line of chat it is, what a table's maker does not let guests do, and which tables are shared screens."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    with op.batch_alter_table("chat") as chat:
        chat.add_column(sa.Column("guest", sa.String(32)))
        chat.alter_column("name", type_=sa.String(48), existing_type=sa.String(40), existing_nullable=False)
    op.create_table(
        "restriction",
        sa.Column("sitting", sa.String(32), primary_key=True),
        sa.Column("guest", sa.String(32), primary_key=True),
        sa.Column("muted", sa.Boolean, nullable=False),
        sa.Column("removed", sa.Boolean, nullable=False),
    )
    share_screens()


def share_screens() -> None:
    """Where one guest has several seats the table is a shared screen."""
    sitting = sa.table("sitting", sa.column("id", sa.String), sa.column("settings", sa.JSON))
    seat = sa.table("seat", sa.column("sitting", sa.String), sa.column("guest", sa.String))
    connection = op.get_bind()
    several = sa.select(seat.c.sitting).where(seat.c.guest.is_not(None)).group_by(seat.c.sitting, seat.c.guest)
    shared = several.having(sa.func.count() > 1)
    for row in connection.execute(sa.select(sitting).where(sitting.c.id.in_(shared))).mappings().all():
        settings = {**row["settings"], "shared": True}
        connection.execute(sitting.update().where(sitting.c.id == row["id"]).values(settings=settings))
