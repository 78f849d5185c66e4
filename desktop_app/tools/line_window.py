"""A window of numbered lines of a text, within what one result may hold, and how to read on."""

from __future__ import annotations

import os
from io import BytesIO
from typing import BinaryIO

from desktop_app.conversation.words import pluralize

from .text_files import bom_of
from .tool import ToolFailed

MAX_LINES = 1_900
MAX_BYTES = 48_000
MAX_LINE = 1_900
"""Slightly below the limits of a result (features T1), so that a file needs no spill: it can be read on."""
CHUNK = 1 << 20


class LineWindow:
    """Takes lines one by one, and keeps those from `offset` on (counted from 1) while there is room."""

    def __init__(self, offset: int, limit: int) -> None:
        self._offset = offset
        self._last = offset + min(limit, MAX_LINES) - 1
        self._kept: list[str] = []
        self._bytes = 0
        self._has_overflowed = False
        self.lines = 0
        self.notes: list[str] = []

    @property
    def is_full(self) -> bool:
        """Whether further lines are only counted."""
        return self._has_overflowed or self.lines >= self._last

    def add(self, line: str) -> None:
        """Take the next line, without its end."""
        self.lines += 1
        if self._has_overflowed or not self._offset <= self.lines <= self._last:
            return
        if len(line) > MAX_LINE:
            line = f"{line[:MAX_LINE]}... (line truncated: {len(line):,} characters)"
        numbered = f"{self.lines}\t{line}"
        size = len(numbered.encode(errors="replace")) + 1
        if self._kept and self._bytes + size > MAX_BYTES:
            self._has_overflowed = True
            return
        self._kept.append(numbered)
        self._bytes += size

    def text(self, name: str) -> str:
        """Return the kept lines and the notes. Raises ToolFailed if the file has fewer lines than `offset`."""
        if not self.lines:
            return f"[{name} is empty]"
        if not self._kept:
            raise ToolFailed(f"{name} has {pluralize(self.lines, 'line')}: there is no line {self._offset:,}.")
        last = self._offset + len(self._kept) - 1
        notes = list(self.notes)
        if self._offset > 1 or last < self.lines:
            more = f"; read on with offset {last + 1}" if last < self.lines else ""
            notes.insert(0, f"lines {self._offset:,} to {last:,} of {self.lines:,}{more}")
        return "\n".join([*self._kept, *(f"[{note}]" for note in notes)])

    def skip(self, file: BinaryIO, max_bytes: int) -> None:
        """Count the lines before the window in large chunks, a hundred times faster than line by line."""
        ends_in_line = False
        while (left := self._offset - 1 - self.lines) > 0 and file.tell() < max_bytes and (chunk := file.read(CHUNK)):
            count = chunk.count(b"\n")
            if count < left:
                self.lines += count
                ends_in_line = not chunk.endswith(b"\n")
                continue
            end = 0
            for _ in range(left):
                end = chunk.index(b"\n", end) + 1
            self.lines += left
            file.seek(end - len(chunk), os.SEEK_CUR)
            return
        self.lines += ends_in_line

    def count_rest(self, file: BinaryIO, max_bytes: int) -> None:
        """Count the lines behind the window."""
        last = b"\n"
        while file.tell() < max_bytes and (chunk := file.read(CHUNK)):
            self.lines += chunk.count(b"\n")
            last = chunk
        self.lines += not last.endswith(b"\n")


def window_of_file(file: BinaryIO, start: bytes, offset: int, limit: int, max_bytes: int) -> LineWindow:
    """Return lines of an open file with these first bytes. A line ends at a line feed alone."""
    window = LineWindow(offset, limit)
    bom, encoding = bom_of(start)
    file.seek(len(bom))
    if encoding.startswith(("utf-16", "utf-32")):
        text = file.read(max_bytes).decode(encoding, errors="replace")
        for line in text.removesuffix("\n").split("\n") if text else ():
            window.add(line.removesuffix("\r"))
        window.notes.append(f"the file is {encoding}")
        return window
    window.skip(file, max_bytes)
    is_utf8 = True
    while not window.is_full and file.tell() < max_bytes and (raw := file.readline(max_bytes)):
        raw = raw.removesuffix(b"\n").removesuffix(b"\r")
        try:
            window.add(raw.decode())
        except UnicodeDecodeError:
            window.add(raw.decode("cp1252", errors="replace"))
            is_utf8 = False
    if not is_utf8:
        window.notes.append("not UTF-8: read as Windows-1252")
    window.count_rest(file, max_bytes)
    return window


def window_of_text(text: str, offset: int, limit: int) -> LineWindow:
    """Return lines of a text."""
    content = text.encode(errors="replace")
    return window_of_file(BytesIO(content), b"", offset, limit, len(content))
