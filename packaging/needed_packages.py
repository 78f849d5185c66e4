"""Names the Debian packages that a bundle needs of the system: needed_packages.py BUNDLE prints them, one a line.

Read from the files themselves: the libraries that they ask for and the bundle does not carry, and whose packages those
are. Fonts no file asks for; build.d/deb names them.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

LIST = Path(__file__).with_name("system-packages.txt")
BY_NAME = ("libegl1", "libgl1")
"""Of the list: what Qt loads by name when it makes surfaces."""


def needed_libraries(bundle: Path) -> set[str]:
    """Return the sonames that files of the bundle ask for and that are not in it."""
    files = [file for file in bundle.rglob("*") if file.is_file() and not file.is_symlink() and _is_elf(file)]
    told = subprocess.run(["objdump", "-p", *map(str, files)], capture_output=True, text=True, check=False).stdout
    wanted = set(re.findall(r"NEEDED\s+(\S+)", told))
    return wanted - {file.name for file in bundle.rglob("*.so*")}


def packages_of(libraries: set[str]) -> set[str]:
    """Return the installed packages that have these libraries."""
    command = ["dpkg-query", "-S", *sorted(f"*/{library}" for library in libraries)]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    found = {line.split(":")[0] for line in told.splitlines() if not line.startswith("diversion")}
    return {name for name in found if not name.endswith(("-dev", "-dbg", "-cross"))}


def _is_elf(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(4) == b"\x7fELF"


def main() -> None:
    """Print the packages of the bundle that the arguments name."""
    known = {line.split("|")[0].strip() for line in LIST.read_text().splitlines() if line and line[0] != "#"}
    if unknown := set(BY_NAME) - known:
        sys.exit(f"{LIST.name} does not have {', '.join(sorted(unknown))}")
    needed = packages_of(needed_libraries(Path(sys.argv[1]))) | set(BY_NAME)
    for name in sorted(needed):
        print(name)


if __name__ == "__main__":
    main()
