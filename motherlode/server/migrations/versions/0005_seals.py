"""A table's secret is part of its seal; seats add bytes of their own. Tables made so far have one seal without any."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    seal = op.create_table(
        "seal",
        sa.Column("sitting", sa.String(32), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("secret", sa.LargeBinary(32), nullable=False),
        sa.Column("fixed", sa.Float(53)),
        sa.Column("shares", sa.String(1000)),
    )
    op.create_table(
        "share",
        sa.Column("sitting", sa.String(32), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("commitment", sa.String(64), nullable=False),
        sa.Column("share", sa.String(64)),
    )
    sitting = sa.table("sitting", *(sa.column(name) for name in ("id", "secret", "given", "made")))
    columns = [sitting.c.id, sa.literal(0), sitting.c.given, sitting.c.secret, sitting.c.made, sa.literal("")]
    op.execute(
        seal.insert().from_select(["sitting", "number", "place", "secret", "fixed", "shares"], sa.select(*columns))
    )
    op.drop_column("sitting", "secret")
