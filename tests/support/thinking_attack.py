"""How long one player's bot takes while somebody else's 60 tables of two `greedy:2000` think, and after a restart.

From the folder tests: `../.venv/bin/python -m support.thinking_attack`. The server has one worker process for bots and
its normal pace; the times are those between an action and the bot's answer to it.
"""

import signal
import sys
import tempfile
import time

from support.local_server import Page
from support.server_process import Process

TABLES, BOT, GAME = 60, "greedy:2000", "china_gold"


def answers(page: Page, number: int) -> None:
    """Say how many seconds the bot takes for each of its next turns."""
    while number and not page.table["result"]:
        if page.table["legal"]:
            page.act()
            continue
        began = time.monotonic()
        page.until_turn()
        print(f"  {time.monotonic() - began:.1f} s", flush=True)
        number -= 1


def main(number: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite:///{folder}/parlour.db"
        settings = {"MOTHERLODE_BOTS": "1", "MOTHERLODE_PACE": "1", "MOTHERLODE_SEAL_WAIT": "0"}
        with Process(database, **settings) as process, process.visitor("Eve") as eve, process.visitor("Bob") as bob:
            for _ in range(TABLES):
                eve.make(GAME, BOT, BOT)
            table, keys = bob.make("goldmine", "me", "greedy")["id"], bob.keys
            print(f"{TABLES} tables of two {BOT} in {GAME}; the answers of another player's bot:", flush=True)
            with bob.open(table, 0) as page:
                answers(page, number)
            process.child.send_signal(signal.SIGTERM)
            process.child.wait()
        with Process(database, **settings) as process, process.visitor("Bob") as bob:
            bob.http.headers["authorization"] = f"Bearer {keys['token']}"
            print("after a restart:", flush=True)
            with bob.open(table, 0) as page:
                answers(page, number)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
