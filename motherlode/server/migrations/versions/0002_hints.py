"""Whether players may ask for hints."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("sitting", sa.Column("hints", sa.Boolean, nullable=False, server_default=sa.false()))
