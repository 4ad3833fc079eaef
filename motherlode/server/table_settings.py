"""The settings of a table: each is named here, stored as JSON, and sent as part of `TableCard`; `NewTable` has those
that whoever makes a table decides."""

from typing import Annotated

from pydantic import BaseModel, Field

from motherlode.text import Drawn

LONGEST_DELAY = 3600


class TableSettings(BaseModel):
    """What whoever makes a table decides about it. A rematch keeps them."""

    watch: bool = True  # may others watch? A new table's default is false where its maker plays against bots alone
    delay: Annotated[int, Field(ge=0, le=LONGEST_DELAY)] = 0  # seconds by which spectators are behind
    chat: bool = True
    open_memory: bool = False  # people, too, are shown everything they ever saw; a new table's default is its game's
    hints: bool = False  # may players ask what a strong player would do?
    clock: Annotated[int, Field(ge=1, le=86_400)] | None = None  # seconds per turn; then the substitute acts
    substitute: Annotated[str, Field(min_length=1, max_length=40)] | None = None  # for who is gone; null: the server's
    shared: bool = False  # several people share a screen: one guest may have several seats


class StoredSettings(TableSettings):
    """What is stored of a table besides."""

    drawn: Drawn = ""
