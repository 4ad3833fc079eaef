"""All settings of a table in one column, so that a new one needs no migration."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

COLUMNS: tuple["sa.ColumnClause[bool] | sa.ColumnClause[int]", ...] = (
    sa.column("watch", sa.Boolean),
    sa.column("delay", sa.Integer),
    sa.column("chat", sa.Boolean),
    sa.column("open_memory", sa.Boolean),
    sa.column("hints", sa.Boolean),
    sa.column("clock", sa.Integer),
)


def upgrade() -> None:
    op.add_column("sitting", sa.Column("settings", sa.JSON, nullable=False, server_default="{}"))
    sitting = sa.table("sitting", sa.column("id", sa.String), sa.column("settings", sa.JSON), *COLUMNS)
    connection = op.get_bind()
    for row in connection.execute(sa.select(sitting.c.id, *COLUMNS)).mappings().all():
        settings = {column.name: row[column.name] for column in COLUMNS}
        connection.execute(sitting.update().where(sitting.c.id == row["id"]).values(settings=settings))
    for column in COLUMNS:
        op.drop_column("sitting", column.name)
