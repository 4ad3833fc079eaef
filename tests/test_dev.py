"""What dev.py says of programs that the tests need and this machine does not have."""

import importlib.util
import os
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def dev(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """dev.py on a machine whose only programs are those in a folder."""
    spec = importlib.util.spec_from_file_location("dev", ROOT / "dev.py")
    assert spec and spec.loader
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    (tmp_path / "env").symlink_to("/usr/bin/env")
    monkeypatch.setenv("PATH", str(tmp_path))
    return found


def add(folder: Path, name: str, script: str = "") -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def test_without_apt_or_root_it_is_said_what_is_missing(
    dev: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for user in (0, 1000):
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        dev.install_for_tests()
        said = capsys.readouterr().err
        assert "some tests fail without chromium" in said
        assert "some tests are skipped without firefox-esr webkit2gtk-driver xvfb (Debian: apt-get install f" in said
        add(tmp_path, "apt-get", "exit 1")  # which somebody else may not use


def test_apt_installs_what_it_has_and_the_rest_is_told(
    dev: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    add(tmp_path, "apt-cache", '[ "$2" != firefox-esr ]')
    for program in ("chromium-headless-shell", "initdb", "Xvfb"):
        (tmp_path / f"new-{program}").write_text("#!/bin/sh\n")
    link = '/bin/ln "$folder/new-$program" "$folder/$program" && /bin/chmod +x "$folder/$program"'
    add(
        tmp_path,
        "apt-get",
        f'folder={tmp_path}; echo "$DEBIAN_FRONTEND $*" >> $folder/asked; read answer && exit 2\n'
        f'case "$*" in *install*) for program in chromium-headless-shell initdb Xvfb; do {link}; done;; esac\n'
        "echo E: the disk is full; exit 100",
    )
    dev.install_for_tests()
    said = capsys.readouterr().err
    update, install = (tmp_path / "asked").read_text().splitlines()
    assert update.startswith("noninteractive ") and update.endswith(" update")
    assert "chromium-headless-shell" in install and install.endswith(" webkit2gtk-driver xvfb")
    assert "firefox-esr" not in install  # this system has no such package
    assert "E: the disk is full" in said and "fail without" not in said
    assert "some tests are skipped without firefox-esr webkit2gtk-driver (" in said
    for program in ("firefox-esr", "WebKitWebDriver"):
        add(tmp_path, program)
    dev.install_for_tests()
    assert capsys.readouterr().err == ""
