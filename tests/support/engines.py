"""The other browser engines, Firefox and WebKit, as Debian has them.

Each opens an address, runs a script, clicks at a point and changes its width. `Other` is somebody who plays in one;
what they click is chosen as in Chromium (`visiting.CHOOSE`). A machine that lacks an engine skips its tests.
"""

import base64
import json
import os
import random
import select
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest

from motherlode.server.browsers import OTHER_ENGINES, missing_packages
from motherlode.server.clicking import PATIENCE, Player
from support.visiting import Parlour

HEIGHT = 800
SETTINGS = {  # of Firefox: it asks nobody, and shows nothing but the page
    "app.update.disabledForTesting": True,
    "browser.aboutwelcome.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "intl.accept_languages": "en-GB",
    "marionette.port": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
}

# What the page complains about, from now on, and how often it has moved something and played a sound.
LISTEN = """() => {
  window.complaints = [];
  window.felt = [0, 0];
  for (const [i, kind, name] of [[0, Element, "animate"], [1, AudioBufferSourceNode, "start"]]) {
    const own = kind.prototype[name];
    kind.prototype[name] = function (...all) {
      window.felt[i] += 1;
      return own.apply(this, all);
    };
  }
  for (const kind of ["error", "warn"]) console[kind] = (...all) => window.complaints.push(all.join(" "));
  for (const kind of ["error", "unhandledrejection"])
    addEventListener(kind, (event) => window.complaints.push(String(event.message ?? event.reason)));
}"""

# The middle of the button or link with this name, once it is there and can be clicked.
FIND = """async ({name, patience}) => {
  for (const deadline = performance.now() + patience; performance.now() < deadline; ) {
    const named = (one) => (one.ariaLabel ?? one.textContent).trim().replace(/\\s+/g, " ") === name;
    const found = [...document.querySelectorAll("button:enabled, a")].find(named);
    if (found) {
      found.scrollIntoView({block: "center"});
      const {left, top, width, height} = found.getBoundingClientRect();
      return {x: left + width / 2, y: top + height / 2};
    }
    await new Promise(requestAnimationFrame);
  }
  throw new Error(`there is no ${name}`);
}"""
AWAIT = """async ({css, patience}) => {
  for (const deadline = performance.now() + patience; !document.querySelector(css); ) {
    if (performance.now() > deadline) throw new Error(`there is no ${css}`);
    await new Promise(requestAnimationFrame);
  }
}"""


class Engine:
    """Both speak WebDriver, each in its own way: `ask` sends a command and returns what came of it."""

    def ask(self, command: str, **given: Any) -> Any:
        raise NotImplementedError

    def open(self, url: str) -> None:
        self.ask("Navigate", url=url)

    def run(self, script: str, given: Any = None) -> Any:
        """The answer of a JavaScript function in the page."""
        return self.ask("ExecuteScript", script=f"return ({script})(arguments[0])", args=[given])

    def press(self, x: float, y: float) -> None:
        move = {"type": "pointerMove", "x": round(x), "y": round(y)}
        steps = [move, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.ask("PerformActions", actions=[{"type": "pointer", "id": "mouse", "actions": steps}])

    def resize(self, width: int) -> None:
        self.ask("SetWindowRect", width=width, height=HEIGHT)

    def picture(self) -> bytes:
        return base64.b64decode(self.ask("TakeScreenshot"))


class Firefox(Engine):
    """By Marionette: "LENGTH:[0, 1, COMMAND, {…}]", answered by "LENGTH:[1, 1, ERROR, ANSWER]"."""

    def __init__(self, stack: ExitStack) -> None:
        profile = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in SETTINGS.items()]
        (profile / "user.js").write_text("".join(lines))
        [program] = OTHER_ENGINES["Firefox"]
        command = [program, "--headless", "--no-remote", "--marionette", "--remote-allow-system-access"]
        browser = start(stack, [*command, "--profile", str(profile)])
        port = profile / "MarionetteActivePort"  # written when it listens
        wait_until(lambda: port.exists() and port.read_text().strip(), browser)
        address = ("127.0.0.1", int(port.read_text()))
        connection = socket.create_connection(address, timeout=2 * PATIENCE / 1000)
        self.stream = stack.enter_context(stack.enter_context(connection).makefile("rwb"))
        self.hear()
        self.ask("NewSession")
        self.ask("SetTimeouts", script=PATIENCE)
        self.send("Marionette:SetContext", value="chrome")
        self.run("() => { document.documentElement.style.minWidth = 0 }")  # else 500 pixels
        self.send("Marionette:SetContext", value="content")
        self.resize(1280)

    def hear(self) -> Any:
        length = b""
        while not length.endswith(b":"):
            length += self.stream.read(1) or pytest.fail("Firefox has gone")
        return json.loads(self.stream.read(int(length[:-1])))

    def send(self, command: str, **given: Any) -> Any:
        message = json.dumps([0, 1, command, given]).encode()
        self.stream.write(b"%d:%b" % (len(message), message))
        self.stream.flush()
        _, _, error, answer = self.hear()
        assert error is None, error
        return answer.get("value")

    def ask(self, command: str, **given: Any) -> Any:
        return self.send(f"WebDriver:{command}", **given)


class WebKit(Engine):
    """By HTTP, with a screen that nobody sees."""

    PATHS: ClassVar = {
        "Navigate": "url",
        "ExecuteScript": "execute/sync",
        "PerformActions": "actions",
        "SetWindowRect": "window/rect",
        "SetTimeouts": "timeouts",
    }

    def __init__(self, stack: ExitStack) -> None:
        driver, screen = OTHER_ENGINES["WebKit"]
        read, write = os.pipe()
        size = f"1400x{HEIGHT + 100}x24"
        start(stack, [screen, "-displayfd", str(write), "-screen", "0", size, "-nolisten", "tcp"], pass_fds=[write])
        os.close(write)
        is_told = select.select([read], [], [], PATIENCE / 1000)[0]
        with os.fdopen(read) as number:
            display = number.readline().strip() if is_told else ""
        assert display, "Xvfb does not start"
        config = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "gtk-3.0"
        config.mkdir()
        (config / "gtk.css").write_text("* { min-width: 0; padding: 0; margin: 0; -gtk-icon-transform: scale(0.1) }")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        surroundings = {**os.environ, "DISPLAY": f":{display}", "XDG_CONFIG_HOME": str(config.parent)}
        start(stack, [driver, f"--port={port}"], env=surroundings)
        transport = httpx.HTTPTransport(retries=8)  # until it listens
        client = httpx.Client(base_url=f"http://127.0.0.1:{port}", transport=transport, timeout=2 * PATIENCE / 1000)
        self.client = stack.enter_context(client)
        answer = self.client.post("/session", json={"capabilities": {}}).json()["value"]
        self.session = f"/session/{answer['sessionId']}"
        stack.callback(self.client.delete, self.session)
        self.ask("SetTimeouts", script=PATIENCE)
        self.resize(1280)

    def ask(self, command: str, **given: Any) -> Any:
        if command == "TakeScreenshot":
            answer = self.client.get(f"{self.session}/screenshot")
        else:
            answer = self.client.post(f"{self.session}/{self.PATHS[command]}", json=given)
        assert answer.is_success, answer.text
        return answer.json()["value"]


def start(stack: ExitStack, command: list[str], **more: Any) -> subprocess.Popen[bytes]:
    """A program that runs until the stack is left."""
    no = subprocess.DEVNULL
    program = stack.enter_context(subprocess.Popen(command, stdin=no, stdout=no, stderr=no, **more))
    stack.callback(end, program)
    return program


def end(program: subprocess.Popen[bytes]) -> None:
    program.terminate()
    try:
        program.wait(PATIENCE / 1000)
    except subprocess.TimeoutExpired:
        program.kill()


def wait_until(is_ready: Callable[[], object], program: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE / 1000
    while not is_ready():
        if program.poll() is not None or time.monotonic() > deadline:
            pytest.fail(f"{program.args!r} does not start")
        time.sleep(0.05)


KINDS: dict[str, type[Firefox | WebKit]] = {"Firefox": Firefox, "WebKit": WebKit}


@contextmanager
def started(name: str) -> Iterator[Engine]:
    if missing := missing_packages(name):
        pytest.skip(f"{name} is not installed: apt-get install {' '.join(missing)}")
    with ExitStack() as stack:
        yield KINDS[name](stack)


class Other(Player):
    """Somebody who comes to the parlour for the first time, in another engine."""

    def __init__(self, engine: Engine, parlour: Parlour, seed: int = 1) -> None:
        self.engine, self.rng, self.last = engine, random.Random(seed), {"at": -1, "names": []}
        engine.open(parlour.url)
        engine.run("() => { localStorage.clear(); localStorage['motherlode.preferences'] = '{\"pace\": 1}' }")
        engine.open(parlour.url)
        engine.run(LISTEN)

    def run(self, script: str, given: Any) -> Any:
        return self.engine.run(script, given)

    def press(self, x: float, y: float) -> None:
        self.engine.press(x, y)

    def click(self, name: str) -> None:
        point = self.run(FIND, {"name": name, "patience": PATIENCE})
        self.press(point["x"], point["y"])

    def wait_for(self, css: str) -> None:
        self.run(AWAIT, {"css": css, "patience": PATIENCE})

    def complaints(self) -> list[str]:
        found: list[str] = self.engine.run("() => window.complaints")
        return found
