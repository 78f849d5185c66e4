"""Fenced blocks of code as a whole: what is copied, saved and folded. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

import msgspec

from .segments import CodeSegment, MarkdownSegment, code_of_block

MAX_LINES, SHOWN_LINES = 60, 24
"""Longer code is folded to its first lines."""


class CodeBlock(msgspec.Struct, frozen=True):
    """A block. key: under which it is folded."""

    key: str
    language: str
    text: str
    is_folded: bool = False

    @property
    def lines(self) -> int:
        return self.text.count("\n") + 1

    @property
    def shown(self) -> str:
        """What is shown of it."""
        return "\n".join(self.text.split("\n", SHOWN_LINES)[:SHOWN_LINES]) if self.is_folded else self.text

    @property
    def unwrapped(self) -> str:
        """The key under which its lines are not wrapped."""
        return f"{self.key} unwrapped"

    @property
    def is_long(self) -> bool:
        return self.lines > MAX_LINES


class LineEnds(NamedTuple):
    """What has to be known of a piece of code to find the longest line of all pieces."""

    first: str
    longest: str
    last: str | None
    """None if there is but one."""


def line_ends(code: str) -> LineEnds:
    """Return them of a piece of code."""
    lines = code.split("\n")
    return LineEnds(lines[0], max(lines, key=len), lines[-1] if len(lines) > 1 else None)


def longest_line(pieces: Iterable[tuple[str, LineEnds]]) -> tuple[str, int]:
    """Return the longest line, or how it begins where it goes through several pieces, and its length.

    pieces: each after what joins it to the one before; "" within a line.
    """
    longest, begun, length = ("", 0), "", 0
    for joint, piece in pieces:
        begun, length = (piece.first, len(piece.first)) if joint else (begun or piece.first, length + len(piece.first))
        longest = max(longest, (begun, length), (piece.longest, len(piece.longest)), key=itemgetter(1))
        if piece.last is not None:
            begun, length = piece.last, len(piece.last)
    return longest


def fold_code(
    segments: Sequence[MarkdownSegment], key: str, is_folded: Callable[[str], bool]
) -> tuple[list[MarkdownSegment], dict[int, CodeBlock]]:
    """Return the segments with long blocks shortened, and each block by the number of each of its segments.

    key: of the message. is_folded: whether a long block with that key is folded.
    """
    shown: list[MarkdownSegment] = []
    blocks: dict[int, CodeBlock] = {}
    block = None
    count = 0
    for number, segment in enumerate(segments):
        if not isinstance(segment, CodeSegment):
            shown.append(segment)
            continue
        if segment.is_first or block is None:
            count += 1
            block = CodeBlock(f"{key} code {count}", segment.language, code_of_block(segments, number))
            block = msgspec.structs.replace(block, is_folded=block.is_long and is_folded(block.key))
            if block.is_folded:
                blocks[len(shown)] = block
                shown.append(msgspec.structs.replace(segment, text=block.shown, is_last=True))
                continue
        if not block.is_folded:
            blocks[len(shown)] = block
            shown.append(segment)
    return shown, blocks
