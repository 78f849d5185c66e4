"""Text files as bytes: which encoding they have, and how they are replaced in one step."""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import secrets
import shutil
import stat
from io import BufferedReader
from pathlib import Path

import msgspec

from .opening import open_walked, opened_folder
from .tool import ToolFailed

SNIFFED = 8_192
"""Bytes at a file's beginning by which it is taken for text or not."""
BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Longer ones before those that they begin with."""
IMAGES = (
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"BM", "BMP"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
)


class TextFile(msgspec.Struct, frozen=True):
    """A file's text, and what it takes to write it as it was."""

    text: str
    encoding: str = "utf-8"
    bom: bytes = b""

    def encoded(self, text: str) -> bytes:
        """Another text as this file would hold it. Raises ToolFailed."""
        try:
            return self.bom + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            wrong = text[error.start : error.end][:20]
            raise ToolFailed(f"The file is {self.encoding}, which cannot hold {wrong!r}.") from None


def open_regular(path: Path, most: int, what_then: str) -> BufferedReader:
    """Opens a file for reading. Raises ToolFailed for what is no plain file or larger than `most` bytes; OSError, also
    for a folder, and a link anywhere: the path was resolved, and a link was put there since."""
    # Not blocking: a pipe that nobody writes to would be waited for, for ever.
    flags = (getattr(os, name, 0) for name in ("O_NONBLOCK", "O_BINARY"))
    handle = open_walked(path, sum(flags, os.O_RDONLY))
    status = os.fstat(handle)
    if stat.S_ISDIR(status.st_mode):
        os.close(handle)
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    file = os.fdopen(handle, "rb")
    why = ""
    if not stat.S_ISREG(status.st_mode):
        why = f"{path} is no plain file."
    elif status.st_size > most:
        why = f"{path} has {status.st_size:,} bytes, more than the {most:,} that are taken. {what_then}"
    if why:
        file.close()
        raise ToolFailed(why)
    return file


def bom_of(begin: bytes) -> tuple[bytes, str]:
    """The mark at the beginning and the encoding that it tells; (b"", "") without one."""
    return next(((bom, encoding) for bom, encoding in BOMS if begin.startswith(bom)), (b"", ""))


def refuse_binary(path: Path, begin: bytes, size: int) -> None:
    """Raises ToolFailed if a file that begins so is no text."""
    kind = next((kind for sign, kind in IMAGES if begin.startswith(sign)), "")
    if begin[:4] == b"RIFF" and begin[8:12] == b"WEBP":
        kind = "WebP"
    if kind and (kind != "BMP" or b"\0" in begin):
        raise ToolFailed(f"{path} is an image ({kind}, {size:,} bytes): ask the user to attach it to a message.")
    if b"\0" in begin and not bom_of(begin)[0]:
        raise ToolFailed(f"{path} is a binary file ({size:,} bytes): look at it with bash (file, xxd, strings).")


def read_text(path: Path, most: int) -> TextFile:
    """A whole text file. Raises ToolFailed if it is binary or too large; OSError."""
    with open_regular(path, most, "Change it with bash.") as file:
        content = file.read(most + 1)
    refuse_binary(path, content[:SNIFFED], len(content))
    return decoded(content)


def decoded(content: bytes) -> TextFile:
    """Bytes as text that can be turned into the same bytes again: UTF-8, what a BOM says, or one byte a character."""
    bom, named = bom_of(content)
    for encoding in (named or "utf-8", "cp1252", "latin-1"):
        try:
            text = content[len(bom) :].decode(encoding)
            if encoding in ("utf-8", "latin-1") or bom + text.encode(encoding) == content:
                return TextFile(text, encoding, bom)
        except UnicodeError:
            bom = b""  # whatever stands there, it was none
    raise AssertionError("Latin-1 takes every byte")


def replace_file(path: Path, content: bytes) -> None:
    """The file has the new content or the old one, whatever happens, and keeps its owner, group, mode and attributes;
    of several names of one file (hard links) only this one gets the new content. Raises OSError, also for a link on the
    way: the path was resolved."""
    with opened_folder(path.parent, makes=True) as folder:
        _replace_in(folder, path, content)


def _replace_in(folder: int | None, path: Path, content: bytes) -> None:
    """The same in an open folder; None: by its path alone, where the system cannot do else."""
    name = path.name if folder is not None else str(path)
    old = _opened_before(folder, name, path)
    temporary = os.path.join(os.path.dirname(name), f".{path.name[:40]}.{secrets.token_hex(6)}.new")
    try:
        mode = 0o666 if old is None else 0o600
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode, dir_fd=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            if old is not None:
                _make_alike(file.fileno(), old)
            os.fsync(file.fileno())
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        if isinstance(error, OSError):
            error.filename, error.filename2 = str(path), None  # nobody knows the other one
        raise
    finally:
        if old is not None:
            os.close(old)


def _opened_before(folder: int | None, name: str, path: Path) -> int | None:
    """The file that is to be replaced, opened as far as its rights allow; None if there is none. Raises OSError for
    what is no plain file, and for one that is write-protected: replacing it would get around that."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.ELOOP if stat.S_ISLNK(status.st_mode) else errno.EINVAL, "It is no plain file", str(path))
    if not os.access(name, os.W_OK, dir_fd=folder):
        raise PermissionError(errno.EACCES, "It is write-protected", str(path))
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
    readable = os.access(name, os.R_OK, dir_fd=folder)
    return os.open(name, flags | (os.O_RDONLY if readable else os.O_WRONLY), dir_fd=folder)


def _make_alike(new: int, old: int) -> None:
    before = os.fstat(old)
    if hasattr(os, "fchown"):
        for owner, group in ((-1, before.st_gid), (before.st_uid, -1)):
            with contextlib.suppress(OSError):  # only root gives a file away
                os.fchown(new, owner, group)
    shutil.copystat(old, new)  # type: ignore[arg-type]  # it takes open files as well, where the system does
    os.utime(new)
