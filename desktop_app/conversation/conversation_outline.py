"""The outline of a conversation: questions, headings in replies, replies with versions, and operations. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import msgspec

from .events import OperationRow
from .markdown_html import block_parser
from .message import Message, Role

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

NO_VERSIONS: Mapping[str, int] = MappingProxyType({})
MAX_TEXT = 200
"""Characters of a line: more than a panel shows."""
_MAY_HAVE_HEADING = re.compile(r"(?:^|[ \t>])#{1,6}[ \t]|^[ \t>]*(?:=+|-+)[ \t]*$", re.MULTILINE)


class OutlineLine(msgspec.Struct, frozen=True):
    """A line of the outline."""

    kind: Literal["question", "heading", "reply", "operation"]
    """A "reply" is listed if it has several versions."""
    text: str
    """The beginning of the message, or the heading without its marks; "" for an operation."""
    message_id: str
    """The message that the line stands for; for an operation, the one that it follows."""
    index: int
    """The index of that message in the current branch."""
    level: int = 0
    """Of a heading: 1 to 6."""
    place: int = 0
    """Of a heading: the number of earlier occurrences of its text in the message, as `FindText` counts them."""
    versions: int = 1
    """The number of versions of the message: more than one if branches part here."""
    operation_id: str = ""


def outline_of(
    messages: Sequence[Message], operations: Sequence[OperationRow] = (), versions: Mapping[str, int] = NO_VERSIONS
) -> tuple[OutlineLine, ...]:
    """Return the outline of a branch, in its order.

    operations: those that are undone, or belong to other branches, are left out. versions: the number of versions of
    each message that has more than one.
    """
    after: defaultdict[str, list[str]] = defaultdict(list)
    for row in operations:
        if not row.is_undone and not row.is_elsewhere:
            after[row.after_message_id].append(row.id)
    lines: list[OutlineLine] = []
    for index, message in enumerate(messages):
        if message.role is Role.USER and message.is_counted:
            count = versions.get(message.id, 1)
            lines.append(OutlineLine("question", _beginning(message), message.id, index, versions=count))
        elif message.role is Role.ASSISTANT:
            if (count := versions.get(message.id, 1)) > 1:
                lines.append(OutlineLine("reply", _beginning(message), message.id, index, versions=count))
            lines += _headings(message, index)
        for operation in after.get(message.id, ()):
            lines.append(OutlineLine("operation", "", message.id, index, operation_id=operation))
    return tuple(lines)


def _beginning(message: Message) -> str:
    return " ".join(message.text[: 4 * MAX_TEXT].split())[:MAX_TEXT]


def _headings(message: Message, index: int) -> Iterator[OutlineLine]:
    for level, text, place in headings_of(message.text):
        yield OutlineLine("heading", text[:MAX_TEXT], message.id, index, level, place)


def headings_of(text: str) -> list[tuple[int, str, int]]:
    """Return the level of each heading of a Markdown text, its words without marks, and their earlier occurrences."""
    if _MAY_HAVE_HEADING.search(text) is None:
        return []
    headings: list[tuple[int, str, int]] = []
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    tokens = block_parser().parse(text)
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.map and (words := _words_of(inline.content)):
            before = text[: starts[opening.map[0]]].casefold().count(words.casefold())
            headings.append((int(opening.tag[1]), words, before))
    return headings


def _words_of(source: str) -> str:
    """Return the words of inline Markdown."""
    children = _inline_parser().parseInline(source)[0].children or []
    return " ".join("".join(child.content or " " * (child.type == "softbreak") for child in children).split())


@cache
def _inline_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # not needed before the first outline

    return MarkdownIt("commonmark")
