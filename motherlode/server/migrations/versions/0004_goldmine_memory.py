"""Tables of Goldmine made so far have shown everything that was seen, and go on doing so: memory is open there."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    sitting = sa.table(
        "sitting", sa.column("id", sa.String), sa.column("game", sa.String), sa.column("settings", sa.JSON)
    )
    connection = op.get_bind()
    is_goldmine = (sitting.c.game == "goldmine") | sitting.c.game.startswith("goldmine~", autoescape=True)
    for row in connection.execute(sa.select(sitting.c.id, sitting.c.settings).where(is_goldmine)).mappings().all():
        settings = {**row["settings"], "open_memory": True}
        connection.execute(sitting.update().where(sitting.c.id == row["id"]).values(settings=settings))
