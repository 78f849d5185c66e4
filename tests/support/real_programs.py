"""Installs pinned public programs for `tests/real`, each set of packages once, in a folder outside the project.

PALIMPSEST_REAL_PROGRAMS names that folder; without it, it is `palimpsest-real-programs` in the user's cache folder. A
program that cannot be installed fails its test: a skipped one would look like a program that works.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
PATIENCE = 1_200
"""Seconds for one installation: a browser or a set of Python packages, over a slow line."""


def npm(*packages: str) -> Path:
    """Install packages such as `opencode-ai@1.18.33`. Returns the folder of their commands."""

    def install(folder: Path) -> None:
        command = ("env", "PUPPETEER_SKIP_DOWNLOAD=1", "npm", "install")  # tests bring a browser of their own
        _run(*command, "--prefix", str(folder), "--no-audit", "--no-fund", *_pinned(packages, "@"))

    return _installed("npm", packages, install) / "node_modules" / ".bin"


def pypi(*requirements: str, python: str = sys.executable) -> Path:
    """Install requirements such as `llm==0.36` in a virtual environment. Returns the folder of its commands."""

    def install(folder: Path) -> None:
        _run(python, "-m", "venv", "--without-pip", str(folder))
        pip = (sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"))
        _run(*pip, "install", "--quiet", *_pinned(requirements, "=="))

    return _installed("pypi", requirements, install) / "bin"


def python_312() -> str:
    """Return a Python 3.12, which some programs need: one that pyenv installed, or from the PATH."""
    by_pyenv = sorted((Path.home() / ".pyenv" / "versions").glob("3.12.*/bin/python3.12"))
    found = str(by_pyenv[-1]) if by_pyenv else shutil.which("python3.12")
    if found is None:
        pytest.fail("it needs a Python 3.12: install one, and put python3.12 on the PATH", pytrace=False)
    return found


def debian(*packages: str) -> Path:
    """Unpack Debian packages without their dependencies. Returns the root of their files."""

    def install(folder: Path) -> None:
        downloads = folder / "downloads"
        downloads.mkdir(parents=True)
        _run("apt-get", "download", *packages, folder=downloads)
        for file in sorted(downloads.glob("*.deb")):
            _run("dpkg", "-x", str(file), str(folder))

    return _installed("debian", packages, install)


def system(release: str, *packages: str) -> Path:
    """Install a whole Debian of that release, such as `trixie`, with packages: for desktops, whose programs need each
    other. Returns its root, in which `within` runs programs. Only root may do that."""

    def install(folder: Path) -> None:
        tools = debian("debootstrap")
        folder.mkdir(parents=True)
        _run(
            "env", f"DEBOOTSTRAP_DIR={tools}/usr/share/debootstrap", str(tools / "usr" / "sbin" / "debootstrap"),
            "--variant=minbase", release, str(folder),
        )  # fmt: skip
        policy = folder / "usr" / "sbin" / "policy-rc.d"
        policy.write_text("#!/bin/sh\nexit 101\n")  # no service is started
        policy.chmod(0o755)
        apt = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "--no-install-recommends")
        _run(*within(folder, *apt, *packages))

    if os.geteuid() != 0:
        pytest.fail("only root can install a system of its own", pytrace=False)
    return _installed(f"system-{release}", packages, install)


def within(root: Path, *command: str) -> list[str]:
    """Return a command that runs another one in that system, with this Python, this project and the same /tmp."""
    shared = dict.fromkeys(("/proc", "/sys", "/dev", "/tmp", sys.base_prefix, sys.prefix, str(PROJECT)))
    folders = " ".join(f"'{folder}'" for folder in shared)
    mount = f'for folder in {folders}; do mkdir -p "$0$folder" && mount --rbind "$folder" "$0$folder" || exit 1; done'
    return ["unshare", "--mount", "sh", "-c", f'{mount}; exec chroot "$0" "$@"', str(root), *command]


def _installed(source: str, packages: tuple[str, ...], install: Callable[[Path], None]) -> Path:
    """Return the folder of that set of packages; it is installed unless an earlier run has."""
    digest = hashlib.sha256(" ".join(sorted(packages)).encode()).hexdigest()[:16]
    folder = _programs() / f"{source}-{digest}"
    finished = folder / ".finished"
    if not finished.exists():
        shutil.rmtree(folder, ignore_errors=True)  # an installation that broke off
        folder.parent.mkdir(parents=True, exist_ok=True)
        install(folder)
        finished.touch()
    return folder


def _programs() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("PALIMPSEST_REAL_PROGRAMS") or cache / "palimpsest-real-programs")


def _pinned(packages: tuple[str, ...], mark: str) -> tuple[str, ...]:
    for package in packages:
        assert mark in package[1:], f"{package} has no version"
    return packages


def _run(*command: str, folder: Path | None = None) -> None:
    if shutil.which(command[0]) is None:
        pytest.fail(f"{command[0]} is needed to install a program", pytrace=False)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode != 0:
        pytest.fail(f"{' '.join(command)} failed:\n{done.stdout[-2_000:]}{done.stderr[-2_000:]}", pytrace=False)
