"""The score of finished games, and what counts for a guest's record. Games that ended before have neither."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_table(
        "score",
        sa.Column("sitting", sa.String(32), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("points", sa.Integer, nullable=False),
        sa.Column("result", sa.String(5), nullable=False),
    )
    op.create_table(
        "played",
        sa.Column("at_table", sa.String(32), primary_key=True),
        sa.Column("guest", sa.String(32), primary_key=True),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("against", sa.String(40), nullable=False),
        sa.Column("result", sa.String(5), nullable=False),
        sa.Column("ended", sa.Float(53), nullable=False),
    )
    op.create_index("played_by_guest", "played", ["guest", "ended"])
