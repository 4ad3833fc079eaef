"""Reviews of finished games, which of them are shared by a link, and what they say of a guest's decisions."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "review",
        sa.Column("sitting", sa.String(32), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True),
        sa.Column("review", sa.JSON, nullable=False),
        sa.Column("made", sa.Float(53), nullable=False),
    )
    op.create_table(
        "shared",
        sa.Column("sitting", sa.String(32), primary_key=True),
        sa.Column("made", sa.Float(53), nullable=False),
    )
    op.create_table(
        "judged",
        sa.Column("guest", sa.String(32), primary_key=True),
        sa.Column("sitting", sa.String(32), primary_key=True),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("decisions", sa.Integer, nullable=False),
        sa.Column("error", sa.Float(53), nullable=False),
        sa.Column("low", sa.Float(53), nullable=False),
        sa.Column("high", sa.Float(53), nullable=False),
    )
    op.create_table(
        "mistake",
        sa.Column("guest", sa.String(32), primary_key=True),
        sa.Column("sitting", sa.String(32), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("at", sa.Integer, primary_key=True),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("loss", sa.Float(53), nullable=False),
        sa.Column("made", sa.Float(53), nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("step", sa.Integer, nullable=False),
        sa.Column("due", sa.Float(53)),
    )
