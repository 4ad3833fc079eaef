"""Tries at puzzles, and the ratings of solvers and puzzles."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "puzzle_try",
        sa.Column("guest", sa.String(32), primary_key=True),
        sa.Column("puzzle", sa.String(80), primary_key=True),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("action", sa.Integer, nullable=False),
        sa.Column("solved", sa.Boolean, nullable=False),
        sa.Column("made", sa.Float(53), nullable=False),
        sa.Column("solved_last", sa.Boolean, nullable=False),
        sa.Column("made_last", sa.Float(53), nullable=False),
    )
    op.create_table(
        "puzzle_solver",
        sa.Column("guest", sa.String(32), primary_key=True),
        sa.Column("game", sa.String(40), primary_key=True),
        sa.Column("mean", sa.Float(53), nullable=False),
        sa.Column("deviation", sa.Float(53), nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("solved", sa.Integer, nullable=False),
    )
    op.create_table(
        "puzzle_rating",
        sa.Column("puzzle", sa.String(80), primary_key=True),
        sa.Column("mean", sa.Float(53), nullable=False),
        sa.Column("deviation", sa.Float(53), nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("solved", sa.Integer, nullable=False),
    )
