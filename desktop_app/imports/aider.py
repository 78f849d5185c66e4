"""The chat history of aider: `.aider.chat.history.md` in the folder in which it runs.

It is Markdown: "# aider chat started at TIME" begins a session, "#### " a line of the user, "> " a line of aider's own;
anything else is the model's. `.aider.input.history` next to it has the time of each input. Times are local. Based on
version 0.86.2.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from desktop_app.conversation.message import Message, Part, Reasoning, Role, Text
from desktop_app.conversation.words import translatable

from .agent_sessions import AgentSession, local_seconds_of, sibling
from .format import Format, Found
from .sources import BYTE_ORDER_MARK, BadFile, Source

PROGRAM = "aider"
BEGINNING = b"# aider chat started at "
STARTED = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*")
INPUTS = ".aider.input.history"
MODEL = re.compile(r"> (?:Main m|M)odel: (\S+)")
THOUGHTS = re.compile(r"\s*<(thinking-content-\w+)>\n(.*?)\n</\1>\s*", re.DOTALL)


def recognizes(source: Source) -> bool:
    """Return whether the file begins with a session."""
    return source.beginning.lstrip().startswith(BEGINNING)


def read(source: Source) -> Iterator[Found]:
    """Yield the sessions in which the model replied."""
    inputs = _inputs(source)
    session: _MarkdownSession | None = None
    for line in source.read().removeprefix(BYTE_ORDER_MARK).decode(errors="replace").splitlines():
        if begun := STARTED.fullmatch(line):
            yield from session.found() if session is not None else ()
            session = _MarkdownSession(source, local_seconds_of(begun[1]), inputs)
        elif session is not None:
            session.add(line)
    yield from session.found() if session is not None else ()


def _inputs(source: Source) -> list[tuple[float, str]]:
    """Return the inputs with their times; [] without the file that has them."""
    file = sibling(source, INPUTS)
    try:
        text = file.read().decode(errors="replace") if file is not None else ""
    except BadFile:  # the session can do without its times
        return []
    found: list[tuple[float, str]] = []
    for entry in text.split("\n# ")[1:]:
        time, _, lines = entry.partition("\n")
        words = "\n".join(line.removeprefix("+") for line in lines.splitlines() if line.startswith("+"))
        found.append((local_seconds_of(time.strip()), words.strip()))
    return found


class _MarkdownSession:
    """Collects the lines of a session into messages."""

    def __init__(self, source: Source, at: float, inputs: list[tuple[float, str]]) -> None:
        self._session = AgentSession(PROGRAM, source)
        self._session.created_at = self._at = at
        self._inputs = inputs
        self._messages: list[Message] = []
        self._role = Role.USER
        self._lines: list[str] = []
        self._own: list[str] = []
        self._model = ""

    def add(self, line: str) -> None:
        """Add a line. The user's lines end with two spaces, unlike headings in a reply."""
        if line.startswith("#### ") and line.endswith("  "):
            self._go_on(Role.USER)
            self._lines.append(line[5:].rstrip())
        elif line.startswith("> ") and line.endswith("  "):
            self._go_on(Role.ASSISTANT)
            self._own.append(line[2:].rstrip())
            if found := MODEL.match(line):
                self._model = found[1]
        else:
            self._go_on(Role.ASSISTANT)
            self._lines.append(line)

    def _go_on(self, role: Role) -> None:
        if role is not self._role:
            self._finish()
            self._role = role

    def _finish(self) -> None:
        text, self._lines = "\n".join(self._lines).strip("\n"), []
        if not text.strip():
            return
        if self._role is Role.USER:
            self._drop_command()
            self._at = next((at for at, words in self._inputs if at >= self._at and words == text.strip()), self._at)
            self._messages.append(Message(role=Role.USER, parts=(Text(text),), at=self._at))
        else:
            parts = tuple(_parts(text))
            self._messages.append(Message(role=Role.ASSISTANT, parts=parts, at=self._at, model=self._model))

    def _drop_command(self) -> None:
        """Drop the last message if it is a command to which the model did not reply."""
        last = self._messages[-1] if self._messages else None
        if last is not None and last.role is Role.USER and last.text.startswith("/"):
            self._own.append(self._messages.pop().text)

    def found(self) -> Iterator[Found]:
        """Yield the conversation; nothing if it has no messages."""
        self._finish()
        self._drop_command()
        name = ""
        for message in self._messages:
            name = hashlib.sha256(f"{name}{message.role}{message.text}".encode(errors="backslashreplace")).hexdigest()
            self._session.add(name, [message])
        if self._messages:
            first = self._session.entries[0].id
            self._session.id = f"{self._session.created_at:.0f}/{first}"
            self._session.rests["aider"] = self._own
            yield self._session.found()


def _parts(text: str) -> Iterator[Part]:
    """Yield the thoughts and the text of a reply in their order."""
    position = 0
    for found in THOUGHTS.finditer(text):
        if before := text[position : found.start()].strip("\n"):
            yield Text(before)
        yield Reasoning(found[2].strip("\n"))
        position = found.end()
    if after := text[position:].strip("\n"):
        yield Text(after)


FORMAT = Format(
    PROGRAM,
    translatable("the file .aider.chat.history.md in the folder of a project, or that folder"),
    recognizes,
    read,
)
