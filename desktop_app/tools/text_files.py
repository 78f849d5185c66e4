"""Text files as bytes: their encodings, and how they are replaced atomically."""

from __future__ import annotations

import codecs
import contextlib
import errno
import mimetypes
import os
import secrets
import shutil
import stat
from pathlib import Path

import msgspec

from desktop_app.open_databases import open_other
from desktop_app.paths import sync_folder

from .path_policy import one_line
from .safe_open import open_file, open_folder
from .tool import ToolFailed

SNIFFED = 8_192
"""Bytes at a file's beginning that are looked at to tell text from binary."""
BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Longer ones before those that are their prefixes."""


class TextFile(msgspec.Struct, frozen=True):
    """A file's text, and what is needed to write it back unchanged."""

    text: str
    encoding: str = "utf-8"
    bom: bytes = b""

    def encode(self, text: str) -> bytes:
        """Return another text in this file's encoding. Raises ToolFailed."""
        try:
            return self.bom + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            wrong = text[error.start : error.end][:20]
            raise ToolFailed(f"The file is {self.encoding}, which cannot hold {wrong!r}.") from None


def read_content(path: Path, max_bytes: int, advice: str) -> bytes:
    """Return the bytes of a text file, by its resolved path.

    Raises ToolFailed for a file that is not regular, is binary, or is too large, with the advice; OSError, also for a
    folder or a link on the way.
    """

    def open_it(_: str, flags: int) -> int:
        flags |= getattr(os, "O_NONBLOCK", 0)  # else a pipe that nobody writes to never opens
        return open_other(path, flags, lambda _, flags: open_file(path, flags))

    with open(path, "rb", opener=open_it) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ToolFailed(f"{one_line(str(path))} is not a regular file.")
        if status.st_size > max_bytes:
            raise ToolFailed(
                f"{one_line(str(path))} has {status.st_size:,} bytes; the limit is {max_bytes:,}. {advice}"
            )
        content = file.read(max_bytes)
    _refuse_binary(path, content[:SNIFFED], len(content))
    return content


def bom_of(start: bytes) -> tuple[bytes, str]:
    """Return the byte order mark and its encoding; (b"", "") without one."""
    return next(((bom, encoding) for bom, encoding in BOMS if start.startswith(bom)), (b"", ""))


def _refuse_binary(path: Path, start: bytes, size: int) -> None:
    """Raise ToolFailed if the first bytes of a file are not those of a text."""
    if b"\0" in start and not bom_of(start)[0]:
        is_image = (mimetypes.guess_type(path.name)[0] or "").startswith("image/")
        advice = "ask the user to attach it" if is_image else "look at it with bash (file, xxd, strings)"
        raise ToolFailed(f"{one_line(str(path))} is a binary file ({size:,} bytes): {advice}.")


def decode_text(content: bytes) -> TextFile:
    """Decode bytes so that encoding gives the same bytes: as the BOM says, as UTF-8, or one byte a character."""
    bom, named = bom_of(content)
    for encoding in (named or "utf-8", "cp1252", "latin-1"):
        try:
            text = content[len(bom) :].decode(encoding)
            if encoding in ("utf-8", "latin-1") or bom + text.encode(encoding) == content:
                return TextFile(text, encoding, bom)
        except UnicodeError:
            bom = b""  # not one after all
    raise AssertionError("Latin-1 decodes every byte")


def replace_file(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Replace a file's content atomically, keeping its owner, group, mode and attributes. mode: of a new file.

    Of several hard links only this one gets the new content. Raises OSError, also for a link on the way.
    """
    with open_folder(path.parent, create=True) as folder:
        name = path.name if folder is not None else str(path)
        old = _open_old(folder, name, path)
        try:
            _replace(folder, name, path, content, old, mode if old is None else 0o600)
        finally:
            if old is not None:
                os.close(old)


def _replace(folder: int | None, name: str, path: Path, content: bytes, old: int | None, mode: int) -> None:
    """Write a file beside the old one, and rename it. folder: the open folder; None where only paths can be opened."""
    temporary = os.path.join(os.path.dirname(name), f".{path.name[:40]}.{secrets.token_hex(6)}.new")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode, dir_fd=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            if old is not None:
                _copy_attributes(old, file.fileno())
            os.fsync(file.fileno())
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        sync_folder(path.parent)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        if isinstance(error, OSError):
            error.filename, error.filename2 = str(path), None  # the temporary name means nothing to anybody
        raise


def _open_old(folder: int | None, name: str, path: Path) -> int | None:
    """Open the file that is to be replaced, as far as its rights allow; None if there is none. Raises OSError for a
    file that is not regular, or write-protected: replacing it would circumvent that."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.ELOOP if stat.S_ISLNK(status.st_mode) else errno.EINVAL, "It is not regular", str(path))
    if not os.access(name, os.W_OK, dir_fd=folder):
        raise PermissionError(errno.EACCES, "It is write-protected", str(path))
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
    is_readable = os.access(name, os.R_OK, dir_fd=folder)
    flags |= os.O_RDONLY if is_readable else os.O_WRONLY
    return open_other(path, flags, lambda _, flags: os.open(name, flags, dir_fd=folder))


def _copy_attributes(old: int, new: int) -> None:
    before = os.fstat(old)
    if hasattr(os, "fchown"):
        for owner, group in ((-1, before.st_gid), (before.st_uid, -1)):
            with contextlib.suppress(OSError):  # only root gives a file away
                os.fchown(new, owner, group)
    shutil.copystat(old, new)  # type: ignore[arg-type]  # it takes open files as well, where the system does
    os.utime(new)
