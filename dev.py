#!/usr/bin/env python3
"""The verbs of this project, for a machine that has only Python: python3 dev.py play

Every verb first sets up .venv: makes it, installs what a lock file lists, installs the project itself. That is done
once; .venv/stamp says what it was done for, is removed before anything changes and written when all is done.
Only the standard library is used, and only syntax that an older Python can read far enough to say that it is too old.
"""

import hashlib
import importlib.util
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

OLDEST = (3, 11)
if sys.version_info < OLDEST:
    sys.exit("dev.py: this is Python {}.{}: run it with {}.{} or newer".format(*sys.version_info[:2], *OLDEST))

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
STAMP = VENV / "stamp"
PLAY, DEV = LOCKS = ("requirements.lock", "requirements-dev.lock")  # short to long
EXTRAS = {PLAY: (), DEV: ("gpu", "gymnasium", "openspiel", "pettingzoo", "parquet", "train", "dev", "bench")}

USAGE = """\
python3 dev.py VERB [arguments for the tool behind it]

  play      open the parlour in the browser; play claimpoker --seats 3 plays in the terminal
  test      check, then run the tests; with arguments for pytest, only those tests
  check     lint, formatting and types, of the pages too
  fix       what lint and formatting can mend by themselves
  bench     measure the speed (bench server: of a server under load; bench openspiel: play against it;
            bench envs: of batches for learners; bench page: of the pages in Chromium)
  soak      the long test runs, and mutants of every game's rules
  pictures  make the pictures of the parlour in docs/
  lock      rewrite the lock files (--upgrade for the newest of everything)"""

# What the output of a failed step of the set-up means; the first that matches is told.
REASONS = (
    (r"No space left|Errno 28|WinError 112|quota exceeded", "the disk is full: free 2 GB and run this again"),
    (r"DO NOT MATCH THE HASHES", "a package is not the one in the lock file: use another index, or report it"),
    (
        r"NewConnection|NameResolution|Max retries|timed out|Connection\w*Error|unreachable|Proxy|SSLError|ENOTFOUND",
        "the package index cannot be reached: connect to the network or tell pip of your proxy, and run this again",
    ),
    (r"No matching distribution", "a package has no build for this Python and machine: use CPython 3.11 to 3.14"),
    (r"Permission denied|Read-only|WinError 5\b", "this folder cannot be written to: use a copy that is yours"),
)


def fail(problem: str, status: int = 1) -> NoReturn:
    print("dev.py: " + problem, file=sys.stderr)
    raise SystemExit(status)


def tool(name: str) -> str:
    """Where .venv keeps a program."""
    return str(VENV / "Scripts" / (name + ".exe") if os.name == "nt" else VENV / "bin" / name)


def reason(output: str, otherwise: str) -> str:
    """Say what is wrong and what to do about it."""
    if shutil.disk_usage(ROOT).free < 2**24:
        output = "No space left"  # venv does not tell
    return next((told for pattern, told in REASONS if re.search(pattern, output)), otherwise)


def attempt(title: str, *command: str) -> "subprocess.CompletedProcess[str]":
    """Run a command under one line of progress."""
    print(title + " …", file=sys.stderr, flush=True)
    return subprocess.run(
        command,
        check=False,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,  # nobody answers a question
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )


def step(title: str, *command: str) -> None:
    """Run one step of the set-up; show what it printed only if it fails."""
    done = attempt(title, *command)
    if done.returncode:
        print("\n".join(done.stdout.splitlines()[-20:]), file=sys.stderr)
        fail(reason(done.stdout, f"{title} failed, as the lines above say: mend that and run this again"))


def pip(title: str, *arguments: str) -> None:
    install = ("-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check")
    step(title, tool("python"), *install, *arguments)


def maker() -> str:
    """The first line of the stamp: a .venv works for one Python in one place."""
    return f"Python {sys.version.split()[0]} in {ROOT}"


def stamp(lock: str) -> str:
    inputs = (ROOT / lock).read_bytes() + (ROOT / "pyproject.toml").read_bytes()
    return f"{maker()}\n{lock} {hashlib.sha256(inputs).hexdigest()}\n"


def make_venv() -> None:
    for module in ("venv", "ensurepip"):
        if importlib.util.find_spec(module) is None:
            fail(f"this Python has no {module} module: install it (Debian, Ubuntu: apt install python3-venv)")
    python = getattr(sys, "_base_executable", sys.executable)  # not the one in .venv, which goes
    step("making .venv", python, "-m", "venv", "--clear", str(VENV))


def set_up(lock: str) -> None:
    """Have .venv hold the project and what the lock file lists; a longer lock file does as well."""
    now = STAMP.read_text("utf-8") if STAMP.exists() and Path(tool("python")).exists() else ""
    if now in [stamp(other) for other in LOCKS[LOCKS.index(lock) :]]:
        return
    if now.startswith(maker() + "\n"):
        STAMP.unlink()
    else:
        make_venv()
    count = len(re.findall(r"^\S+==", (ROOT / lock).read_text("utf-8"), re.MULTILINE))
    pip(f"installing {count} packages", "--require-hashes", "--only-binary", ":all:", "-r", lock)
    pip("installing motherlode", "--no-build-isolation", "--no-deps", "--editable", ".")
    STAMP.write_text(stamp(lock), "utf-8")


def build_parlour() -> None:
    """Have motherlode/web hold the pages made of what is in web/."""
    script = ROOT / "web" / "build.py"
    if not runpy.run_path(str(script))["is_built"]():
        step("building the parlour", tool("python"), str(script))


def missing_for_tests() -> tuple[list[str], list[str]]:
    """Debian's packages that tests fail without, and those of the other engines, whose tests are skipped."""
    browsers = runpy.run_path(str(ROOT / "motherlode" / "server" / "browsers.py"))
    needed = [] if browsers["find_chromium"]() else ["chromium"]
    if not shutil.which("initdb") and not any(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        needed.append("postgresql")
    return needed, [package for engine in browsers["OTHER_ENGINES"] for package in browsers["missing_packages"](engine)]


def is_packaged(package: str) -> bool:
    return not subprocess.run(("apt-cache", "show", package), capture_output=True, check=False).returncode


def install_for_tests() -> None:
    """As root, with apt-get, install what tests need of the system. They run in any case: the rest is told here."""
    needed, skipped = missing_for_tests()
    if (needed or skipped) and shutil.which("apt-get") and os.geteuid() == 0:
        apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet", "-oDPkg::Lock::Timeout=60"]
        apt += [f"-oAcquire::{limit}" for limit in ("Retries=0", "http::Timeout=20", "https::Timeout=20")]
        attempt("asking for packages", *apt, "update")
        shell = "chromium-headless-shell"  # smaller than the whole browser, and faster; Debian has it
        wanted = [shell if package == "chromium" and is_packaged(shell) else package for package in (*needed, *skipped)]
        wanted = [package for package in wanted if is_packaged(package)]
        if wanted:
            install = (*apt, "install", "--yes", "--no-install-recommends", *wanted)
            done = attempt("installing " + ", ".join(wanted), *install)
            if done.returncode:
                print("\n".join(done.stdout.splitlines()[-2:]), file=sys.stderr)
        needed, skipped = missing_for_tests()
    for packages, come in ((needed, "fail"), (skipped, "are skipped")):
        if packages:
            names = " ".join(packages)
            print(f"dev.py: some tests {come} without {names} (Debian: apt-get install {names})", file=sys.stderr)


def run(name: str, *arguments: str) -> int:
    """Run a program of .venv and return its exit status."""
    return run_together((name, *arguments))


def run_together(*commands: tuple[str, ...]) -> int:
    """Run programs side by side and return the highest status. Ctrl-C reaches them without our help: we only wait."""
    children = [subprocess.Popen((tool(name), *arguments), cwd=ROOT) for name, *arguments in commands]

    def terminate(*_: object) -> None:
        for child in children:
            child.terminate()

    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, terminate)
    statuses = [child.wait() for child in children]
    return max(status if status >= 0 else 128 - status for status in statuses)


def lock_all(arguments: list[str]) -> int:
    """Resolve pyproject.toml for every platform; what one lock file pins, the next keeps."""
    import tomllib

    if not Path(tool("python")).exists():
        make_venv()
    pip("installing uv", "uv")
    build = "\n".join(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"])
    for lock, before in zip(LOCKS, (None, *LOCKS), strict=False):
        print(f"resolving {lock} …", file=sys.stderr, flush=True)
        command = [tool("uv"), "pip", "compile", "pyproject.toml", "-", "--output-file", lock, "--quiet"]
        command += ["--universal", "--only-binary", ":all:", "--python-version", "{}.{}".format(*OLDEST)]
        command += ["--generate-hashes", "--no-emit-index-url", "--no-header", *arguments]
        command += [f"--extra={extra}" for extra in EXTRAS[lock]]
        command += [f"--constraints={before}"] if before else []
        done = subprocess.run(command, check=False, cwd=ROOT, input=build, encoding="utf-8")
        if done.returncode:
            return done.returncode
    return 0


def check() -> int:
    """Lint, formatting and types: the highest exit status of the tools, all of which are run."""
    ruff = run("ruff", "check"), run("ruff", "format", "--check")
    return max(*ruff, run_together(("mypy",), ("python", "web/build.py", "check")))


def do(verb: str, arguments: list[str]) -> int:
    if verb == "lock":
        return lock_all(arguments)
    set_up(PLAY if verb == "play" else DEV)
    is_of_pages = verb == "pictures" or (verb == "bench" and arguments[:1] == ["page"])
    if verb in ("play", "test", "soak") or is_of_pages:
        build_parlour()
    if verb in ("test", "soak") or is_of_pages:
        install_for_tests()
    if verb == "play":
        return run("motherlode", *(["play", *arguments] if arguments else []))
    if verb == "test":
        return max(0 if arguments else check(), run("pytest", "-n", "3", "--dist", "worksteal", *arguments))
    if verb == "check":
        return check()
    if verb == "fix":
        return max(run("ruff", "check", "--fix"), run("ruff", "format"))
    if verb == "pictures":
        return run("python", "web/pictures.py")
    if verb == "bench":
        return run("motherlode", "bench", *arguments)
    return run("pytest", "-m", "soak", "--capture=no", *arguments)


def main(verb: str = "", *arguments: str) -> int:
    if verb in ("-h", "--help"):
        print(USAGE)
        return 0
    if verb not in re.findall(r"^  (\w+)", USAGE, re.MULTILINE):
        print(USAGE, file=sys.stderr)
        fail(f"there is no verb {verb!r}" if verb else "name a verb", status=2)
    try:
        return do(verb, list(arguments))
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        fail(f"{error}: " + reason(str(error), "remove .venv, or take a fresh clone, and run this again"))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
