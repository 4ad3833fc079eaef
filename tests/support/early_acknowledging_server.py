"""A server with a planted break: it acknowledges before it stores. Every commit waits for the table's next one."""

from typing import Any

from motherlode import cli
from motherlode.server.live_table import LiveTable

HELD: dict[str, Any] = {}


async def commit(sitting: LiveTable, work: Any) -> Any:
    earlier = HELD.get(sitting.id)
    HELD[sitting.id] = work
    if earlier:
        await sitting.parlour.storage.write(earlier)


if __name__ == "__main__":
    LiveTable.commit = commit  # type: ignore[method-assign]
    cli.main()
