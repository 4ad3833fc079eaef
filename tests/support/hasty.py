"""A server with a planted break: it acknowledges before it stores. Every commit waits for the table's next one."""

from typing import Any

from motherlode import cli
from motherlode.server.table import Sitting

HELD: dict[str, Any] = {}


async def commit(sitting: Sitting, work: Any) -> Any:
    earlier = HELD.get(sitting.id)
    HELD[sitting.id] = work
    if earlier:
        await sitting.house.store.write(earlier)


if __name__ == "__main__":
    Sitting.commit = commit  # type: ignore[method-assign]
    cli.main()
