"""Takes the folders of the computer that a bundle was made on out of its libraries: library_paths.py FOLDER.

Python's own libraries name the folder in which that Python lies (DT_RUNPATH). Elsewhere whoever may write there could
put another library in the place of one of ours. What is relative to the library itself ($ORIGIN) stays.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path

LOADED, DYNAMIC = 1, 2  # kinds of segments
END, STRINGS, RPATH, RUNPATH = 0, 5, 15, 29  # tags of the dynamic section's entries
ENTRY = struct.Struct("<QQ")


def without_folders(library: bytes) -> bytes:
    """Return a 64-bit ELF library without the folders outside of it that it looks for others in.

    Any other file is returned as it is.
    """
    if library[:6] != b"\x7fELF\x02\x01":
        return library
    segments = list(_segments(library))
    for kind, start, _, size in segments:
        if kind == DYNAMIC:
            entries = [ENTRY.unpack_from(library, at) for at in range(start, start + size, ENTRY.size)]
            strings = _place(dict(entries)[STRINGS], segments)
            kept = [entry for entry in entries if not _is_folder(library, entry, strings)]
            kept += [(END, 0)] * (len(entries) - len(kept))
            changed = b"".join(ENTRY.pack(*entry) for entry in kept)
            return library[:start] + changed + library[start + len(changed) :]
    return library


def _segments(library: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Yield the kind of each segment, its place in the file, its address in memory, and its bytes in the file."""
    (table,) = struct.unpack_from("<Q", library, 0x20)
    size, count = struct.unpack_from("<HH", library, 0x36)
    for at in range(table, table + size * count, size):
        kind, _, start, address, _, length = struct.unpack_from("<IIQQQQ", library, at)
        yield kind, start, address, length


def _place(address: int, segments: list[tuple[int, int, int, int]]) -> int:
    return next(
        address - begins + start
        for kind, start, begins, length in segments
        if kind == LOADED and begins <= address < begins + length
    )


def _is_folder(library: bytes, entry: tuple[int, int], strings: int) -> bool:
    tag, value = entry
    begins = strings + value
    return tag in (RPATH, RUNPATH) and not library[begins : library.index(b"\0", begins)].startswith(b"$ORIGIN")


def main(folder: Path) -> int:
    """Change the libraries of a folder, and return how many."""
    changed = 0
    for path in folder.rglob("*.so*"):
        if path.is_file() and not path.is_symlink() and (new := without_folders(old := path.read_bytes())) != old:
            replaced = path.with_name(f"{path.name}.new")  # never in place: it may be a hard link
            replaced.write_bytes(new)
            replaced.chmod(path.stat().st_mode)
            replaced.replace(path)
            changed += 1
    return changed


if __name__ == "__main__":
    print(f"  Folders    of this computer taken out of {main(Path(sys.argv[1]))} libraries", file=sys.stderr)
