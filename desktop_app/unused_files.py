"""Takes what is never used out of an environment, after pip has filled it: resources/unused.txt says what, and why.

It may be done as often as one likes. Each package's RECORD is rewritten, so that pip can still remove or replace it,
and so that packaging/forget_unfinished.py does not take it for one that was cut short. PRUNED next to it names what was
taken out: where the list wants some of that no longer, a set-up installs the package again.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import re
import shutil
import struct
import sys
import sysconfig
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

LIST = Path(__file__).resolve().parents[1] / "resources" / "unused.txt"
TOOL_FILES = ("pipx_metadata.json", "uv-receipt.toml")
"""What pipx and `uv tool` write into an environment that they make for one program."""
PRUNED = "PRUNED"
KINDS = ("package", "tests", "version", "remove", "keep", "strip")
ALLOCATED = 0x2  # SHF_ALLOC: the section is in memory while the library runs
NO_BITS = 8  # SHT_NOBITS: the section takes no room in the file
_COMPILED = re.compile(r"(?:(.*)/)?__pycache__/(\w+)\.cpython-\d+\.pyc")


class UnusedLine(NamedTuple):
    """A line of the list."""

    kind: str
    pattern: str
    """A package's name, or a pattern of paths in site-packages; `*` matches slashes as well."""
    reason: str


def read_list(path: Path = LIST) -> list[UnusedLine]:
    """Return the list's lines in their order. Raises ValueError for one of another form."""
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    found = [[part.strip() for part in line.split("|", 2)] for line in lines]
    for line in found:
        if len(line) != 3 or line[0] not in KINDS or not all(line):
            raise ValueError(f"{path.name}: a kind of {', '.join(KINDS)}, a pattern and a reason, not {line}")
    return [UnusedLine(*line) for line in found]


def normal(name: str) -> str:
    """Return a package's name as two spellings of it are compared (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def source_of(path: str) -> str:
    """Return the module from which a compiled one was made; any other path as it is."""
    found = _COMPILED.fullmatch(path)
    return "/".join(filter(None, (found[1], f"{found[2]}.py"))) if found else path


def is_removed(path: str, lines: Iterable[UnusedLine]) -> bool:
    """Return what the last fitting line says of a path in site-packages."""
    source, removed = source_of(path), False
    for line in lines:
        if line.kind in ("remove", "keep") and fnmatchcase(source, line.pattern):
            removed = line.kind == "remove"
    return removed


def is_stripped(path: str, lines: Iterable[UnusedLine]) -> bool:
    """Return whether a path in site-packages is to lose its debug information."""
    return any(line.kind == "strip" and fnmatchcase(path, line.pattern) for line in lines)


def without_debug_information(library: bytes) -> bytes:
    """Return a 64-bit ELF library without the sections that are never loaded: debug information and symbol tables.

    Any other file is returned as it is, also one whose loaded parts do not come first.
    """
    if library[:6] != b"\x7fELF\x02\x01":
        return library
    (table,) = struct.unpack_from("<Q", library, 0x28)
    size, count = struct.unpack_from("<HH", library, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", library, table + index * size) for index in range(count)]
    loaded = [part[4] + part[5] for part in sections if part[2] & ALLOCATED and part[1] != NO_BITS]
    segments = _segment_ends(library)
    end = max([*loaded, *segments], default=len(library))
    if not loaded or end >= table:
        return library
    header = bytearray(library[:end])
    struct.pack_into("<Q", header, 0x28, 0)
    struct.pack_into("<HH", header, 0x3C, 0, 0)
    return bytes(header)


def _segment_ends(library: bytes) -> list[int]:
    (table,) = struct.unpack_from("<Q", library, 0x20)
    size, count = struct.unpack_from("<HH", library, 0x36)
    parts = [struct.unpack_from("<IIQQQQ", library, table + index * size) for index in range(count)]
    return [part[2] + part[5] for part in parts]


def prune_package(info: Path, lines: list[UnusedLine]) -> int:
    """Prune the package of that dist-info folder, and return the bytes that it gave back."""
    record = info / "RECORD"
    if not record.is_file() or not is_known(info, lines):
        return 0  # cut short, so that the next set-up installs it again; or a version that was not looked at
    rows = [row for row in csv.reader(io.StringIO(record.read_text())) if row]
    kept, gone, freed = [], [], 0
    for row in rows:
        path = info.parent / row[0]
        if is_removed(row[0], lines):
            gone.append(row[0])
            freed += _remove(path)
        else:
            changed, saved = _stripped(path, row, lines)
            kept.append(changed)
            gone += [row[0]] if saved else []
            freed += saved
    if gone:
        if not (info / PRUNED).exists():
            kept.append([f"{info.name}/{PRUNED}", "", ""])
        with (info / PRUNED).open("a") as pruned:
            pruned.writelines(f"{path}\n" for path in gone)
        _replace(record, _as_csv(kept).encode())
    return freed


def is_as_listed(info: Path, lines: list[UnusedLine]) -> bool:
    """Return whether the list still wants everything that was taken out of that package."""
    pruned = info / PRUNED
    gone = pruned.read_text().splitlines() if pruned.is_file() else ()
    return all(is_removed(path, lines) or is_stripped(path, lines) for path in gone)


def remove_package(info: Path) -> int:
    """Remove a whole package, and return the bytes that it gave back."""
    record = info / "RECORD"
    rows = csv.reader(io.StringIO(record.read_text())) if record.is_file() else ()
    freed = sum(_remove(info.parent / row[0]) for row in rows if row and not row[0].startswith(info.name))
    shutil.rmtree(info)
    return freed


def prune(site_packages: Path, lines: list[UnusedLine]) -> int:
    """Prune every package there, and return the bytes that were freed."""
    unwanted = {normal(line.pattern) for line in lines if line.kind == "package"}
    freed = 0
    for info in sorted(site_packages.glob("*.dist-info")):
        freed += remove_package(info) if name_of(info) in unwanted else prune_package(info, lines)
    return freed


def own_site_packages() -> Path | None:
    """Return the folder of packages if pipx or `uv tool` made this environment for Palimpsest alone, else None."""
    prefix, site = Path(sys.prefix), Path(sysconfig.get_path("purelib"))
    is_own = sys.prefix != sys.base_prefix and any((prefix / name).is_file() for name in TOOL_FILES)
    return site if is_own and site in Path(__file__).parents and prefix in site.parents else None


def unused_bytes(site_packages: Path, lines: list[UnusedLine]) -> int:
    """Return how many bytes `prune` would remove there; what it would strip is not counted."""
    unwanted = {normal(line.pattern) for line in lines if line.kind == "package"}
    total = 0
    for info in site_packages.glob("*.dist-info"):
        is_unwanted = name_of(info) in unwanted
        record = info / "RECORD"
        is_read = record.is_file() and (is_unwanted or is_known(info, lines))
        rows = csv.reader(io.StringIO(record.read_text())) if is_read else ()
        paths = (info.parent / row[0] for row in rows if row and (is_unwanted or is_removed(row[0], lines)))
        total += sum(path.stat().st_size for path in paths if path.is_file())
    return total


def is_known(info: Path, lines: list[UnusedLine]) -> bool:
    """Return whether the list was made for this version of a package: another one may need what this one does not."""
    wanted = next((line.reason for line in lines if line.kind == "version" and line.pattern == name_of(info)), "")
    version = info.name.removesuffix(".dist-info").rpartition("-")[2]
    return not wanted or f"{version}.".startswith(f"{wanted}.")


def name_of(info: Path) -> str:
    """Return the name of the package of a dist-info folder."""
    return normal(info.name.removesuffix(".dist-info").rpartition("-")[0])


def strip_folder(folder: Path) -> int:
    """Strip every library there but Qt's plugins, whose metadata Qt may look for; return the bytes that were freed."""
    freed = 0
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_file() or "plugins" in path.parts or ".so" not in path.name:
            continue
        old = path.read_bytes()
        new = without_debug_information(old)
        if len(new) < len(old):
            _replace(path, new)
            freed += len(old) - len(new)
    return freed


def _stripped(path: Path, row: list[str], lines: list[UnusedLine]) -> tuple[list[str], int]:
    """Strip a library if the list says so; return its row of the RECORD, and the bytes that were freed."""
    if not is_stripped(row[0], lines) or not path.is_file():
        return row, 0
    old = path.read_bytes()
    new = without_debug_information(old)
    if len(new) == len(old):
        return row, 0
    _replace(path, new)
    digest = base64.urlsafe_b64encode(hashlib.sha256(new).digest()).rstrip(b"=").decode()
    return [row[0], f"sha256={digest}", str(len(new))], len(old) - len(new)


def _replace(path: Path, content: bytes) -> None:
    """Replace a file in one step: never in place, since other environments may share it by a hard link."""
    new = path.with_name(path.name + ".new")
    new.write_bytes(content)
    new.chmod(path.stat().st_mode)
    new.replace(path)


def _remove(path: Path) -> int:
    """Remove a file, and the folders that are empty then; return its size, 0 if it was gone or is of no environment."""
    environment = next((folder for folder in path.parents if folder.name == "site-packages"), None)
    root = environment.parents[2] if environment is not None else path  # lib/python3.N/site-packages
    if not path.is_file() or root not in Path(os.path.normpath(path)).parents:
        return 0
    size = path.stat().st_size
    path.unlink()
    for folder in path.parents:
        if folder.name == "site-packages" or any(folder.iterdir()):
            break
        folder.rmdir()
    return size


def _as_csv(rows: Iterable[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
