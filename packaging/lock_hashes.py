"""Pins each line of a lock, given on standard input, to the SHA-256 of every file of that version, for all systems.

Run with the Python whose pip made the lock: the package index is the one that this pip is set up to use.
"""

from __future__ import annotations

import json
import ssl
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pip._internal.models.index import PyPI
from pip._vendor.packaging.utils import canonicalize_name, parse_sdist_filename, parse_wheel_filename
from pip._vendor.packaging.version import Version

JSON_INDEX = "application/vnd.pypi.simple.v1+json"  # PEP 691
THREADS = 8


def pip_setting(name: str, default: str) -> str:
    """Return what pip is set up with, from its files and the environment alike."""
    shown = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True)
    values = dict(line.split("=", 1) for line in shown.stdout.splitlines() if "=" in line)
    found = [value for key, value in values.items() if key.rsplit(".", 1)[-1] == name]
    return found[-1].strip("'") if found else default


def files_of(name: str, index: str, context: ssl.SSLContext) -> list[dict[str, Any]]:
    """Return the files that the index has of a package. Raises OSError."""
    request = urllib.request.Request(f"{index.rstrip('/')}/{canonicalize_name(name)}/", headers={"Accept": JSON_INDEX})
    with urllib.request.urlopen(request, timeout=120, context=context) as reply:
        return json.load(reply)["files"]


def version_of(filename: str) -> Version | None:
    """Return the version that a file is of; None for kinds of files that pip does not install."""
    try:
        return (parse_wheel_filename if filename.endswith(".whl") else parse_sdist_filename)(filename)[1]
    except ValueError:
        return None


def pinned(line: str, index: str, context: ssl.SSLContext) -> str:
    """Return a requirement with its hashes below it, as pip reads them; comments stay as they are."""
    requirement, _, marker = line.partition(";")
    name, is_pin, version = requirement.strip().partition("==")
    if line.startswith("#") or not is_pin:
        return line
    files = files_of(name, index, context)
    hashes = sorted(file["hashes"]["sha256"] for file in files if version_of(file["filename"]) == Version(version))
    if not hashes:
        raise SystemExit(f"The index has no file of {name} {version}.")
    head = f"{name}=={version}" + (f" ; {marker.strip()}" if marker else "")
    return " \\\n    ".join([head, *(f"--hash=sha256:{value}" for value in hashes)])


def main() -> None:
    """Write the lock with hashes to standard output."""
    index = pip_setting("index-url", PyPI.simple_url)
    context = ssl.create_default_context(cafile=pip_setting("cert", "") or None)
    with ThreadPoolExecutor(THREADS) as pool:
        lines = pool.map(lambda line: pinned(line, index, context), sys.stdin.read().splitlines())
        print(*lines, sep="\n")


if __name__ == "__main__":
    main()
