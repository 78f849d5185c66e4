"""Some lines of a text, numbered, within what one result may take, and how to read on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO

from desktop_app.conversation.plurals import pluralize

from .text_files import SNIFFED, bom_of
from .tool import ToolFailed

LINES_MOST = 1_900
BYTES_MOST = 48_000
LINE_MOST = 1_900
"""A little below what a result may have at most (features T1), so that a file needs no spill: it can be read on."""
PIECE = 1 << 20


class LineWindow:
    """Takes lines one by one, keeps those from `offset` on (counted from 1) while there is room."""

    def __init__(self, offset: int, limit: int) -> None:
        self._offset = offset
        self._last = offset + min(limit, LINES_MOST) - 1
        self._kept: list[str] = []
        self._bytes = 0
        self._is_full = False
        self._is_in_line = False
        self.lines = 0
        self.notes: list[str] = []

    @property
    def is_full(self) -> bool:
        """Whether no further line is taken; further ones are only counted."""
        return self._is_full or self.lines >= self._last

    def take(self, line: str) -> None:
        """The next line, without its end."""
        if self.is_full or self.lines + 1 < self._offset:
            self.lines += 1
            return
        if len(line) > LINE_MOST:
            line = f"{line[:LINE_MOST]}... (line truncated: {len(line):,} characters)"
        told = f"{self.lines + 1}\t{line}"
        size = len(told.encode(errors="replace")) + 1
        if self._kept and self._bytes + size > BYTES_MOST:
            self._is_full = True
        else:
            self._kept.append(told)
            self._bytes += size
        self.lines += 1

    def text(self, name: str) -> str:
        """The kept lines. Raises ToolFailed if there is no line that far."""
        if not self.lines:
            return f"[{name} is empty]"
        if not self._kept:
            raise ToolFailed(f"{name} has {pluralize(self.lines, 'line')}: there is no line {self._offset:,}.")
        last = self._offset + len(self._kept) - 1
        notes = list(self.notes)
        if self._offset > 1 or last < self.lines:
            on = f"; read on with offset {last + 1}" if last < self.lines else ""
            notes.insert(0, f"lines {self._offset:,} to {last:,} of {self.lines:,}{on}")
        return "\n".join([*self._kept, *(f"[{note}]" for note in notes)])

    def skip(self, file: BinaryIO, most: int) -> None:
        """Counts the lines before the wanted ones by larger pieces, which is a hundred times faster."""
        while (left := self._offset - 1 - self.lines) > 0 and file.tell() < most and (piece := file.read(PIECE)):
            count = piece.count(b"\n")
            if count < left:
                self.lines += count
                self._is_in_line = not piece.endswith(b"\n")
                continue
            at = 0
            for _ in range(left):
                at = piece.index(b"\n", at) + 1
            self.lines += left
            self._is_in_line = False
            file.seek(at - len(piece), os.SEEK_CUR)
        if self._is_in_line:  # the file ended in a line without an end
            self.lines += 1

    def count_rest(self, file: BinaryIO, most: int) -> None:
        """Counts the lines behind the kept ones."""
        last = b"\n"
        while file.tell() < most and (piece := file.read(PIECE)):
            self.lines += piece.count(b"\n")
            last = piece
        self.lines += not last.endswith(b"\n")


def window_of_file(file: BinaryIO, begin: bytes, offset: int, limit: int, most: int) -> LineWindow:
    """Lines of an open file that begins so, of which `most` bytes are read. A line ends at a line feed alone."""
    window = LineWindow(offset, limit)
    bom, encoding = bom_of(begin)
    file.seek(len(bom))
    if encoding.startswith(("utf-16", "utf-32")):
        for line in lines_of(file.read(most).decode(encoding, errors="replace")):
            window.take(line)
        window.notes.append(f"the file is {encoding}")
        return window
    window.skip(file, most)
    is_other = False
    while not window.is_full and file.tell() < most and (raw := file.readline(most)):
        raw = raw.removesuffix(b"\n").removesuffix(b"\r")
        try:
            window.take(raw.decode())
        except UnicodeDecodeError:
            window.take(raw.decode("cp1252", errors="replace"))
            is_other = True
    if is_other:
        window.notes.append("not UTF-8: read as Windows-1252")
    window.count_rest(file, most)
    return window


def window_of_text(text: str, offset: int, limit: int) -> LineWindow:
    """Lines of a text."""
    content = text.encode(errors="replace")
    return window_of_file(BytesIO(content), b"", offset, limit, len(content))


def lines_of(text: str) -> Iterator[str]:
    """The lines without their ends; a line feed at the end begins no further one."""
    begin = 0
    while begin < len(text):
        end = text.find("\n", begin)
        end = len(text) if end < 0 else end
        yield text[begin:end].removesuffix("\r")
        begin = end + 1


def beginning(file: BinaryIO) -> bytes:
    """The first bytes of an open file, which is then read from its beginning again."""
    begin = file.read(SNIFFED)
    file.seek(0)
    return begin
