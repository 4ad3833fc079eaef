"""A server with a planted break: it acknowledges before it stores. Every commit waits for the table's next one."""

from typing import Any

from motherlode import cli
from motherlode.server.live_table import LiveTable

HELD: dict[str, Any] = {}


async def commit(table: LiveTable, work: Any) -> Any:
    earlier = HELD.get(table.id)
    HELD[table.id] = work
    if earlier:
        await table.parlour.storage.write(earlier)


if __name__ == "__main__":
    setattr(LiveTable, "commit", commit)  # noqa: B010 - the type checker would refuse the assignment
    cli.main()
