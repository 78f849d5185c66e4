"""One session of Claude Code, or one of its subagents, taken in line by line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desktop_app.conversation.foreign import ForeignConversation

from .claude_code_tree import SessionTree
from .fields import Fields, json_of, rest_json
from .sources import Source

PROGRAM = "Claude Code"
SAID_ELSEWHERE = ("uuid", "parentUuid", "logicalParentUuid")
LASTING = (
    "cwd",
    "version",
    "gitBranch",
    "userType",
    "entrypoint",
    "slug",
    "sessionId",
    "isSidechain",
    "permissionMode",
)
"""What most lines say again; it is kept where it changes."""
TITLES = ("custom-title", "ai-title", "summary")
"""Of the user, of the program, and of a summary, which may be that of another session's end. The first one is taken."""


class SessionReader:
    """What its lines hold. Of a line that was taken in, only what has no place is kept as it came."""

    def __init__(self, parents: Mapping[str, str], source: Source, root: str) -> None:
        """root: the line with which a subagent begins; "" for the session itself."""
        self._tree = SessionTree(parents)
        self._source = source
        self._root = root
        self._ids: dict[str, None] = {}
        self._times: list[float] = []
        self._folder = ""
        self._agent = ""
        self._titles: dict[str, str] = {}
        self._summaries: list[tuple[str, str]] = []  # each with the line that it ends with
        self._lasting: dict[str, Any] = {}
        self._rest: list[str] = []  # as JSON, which takes a third of the memory

    def add(self, name: str, line: Fields) -> None:
        """Take a line in."""
        self._tree.add(name, line)
        if session := line.text("sessionId"):
            self._ids[session] = None
        if at := line.time("timestamp"):
            self._times.append(at)
        self._folder = self._folder or line.text("cwd")
        self._agent = self._agent or line.text("agentId")
        self._add_title(line)
        self._add_rest(name, line)

    def conversation(self) -> ForeignConversation:
        """Return what all lines hold."""
        entries, current = self._tree.entries()
        session = self._session()
        return ForeignConversation(
            PROGRAM,
            f"{session}/{self._agent or self._root}" if self._root else session,
            self._title(),
            entries,
            created_at=min(self._times, default=self._source.modified),
            updated_at=max(self._times, default=self._source.modified),
            current=current,
            model=self._tree.model,
            folder=self._folder,
            is_put_away=bool(self._root),
            rest=f'{{"lines":{{{",".join(self._rest)}}}}}' if self._rest else "",
        )

    def _session(self) -> str:
        """Return the session's id. A session that was resumed begins with lines of another one."""
        name = self._source.name.rpartition("/")[2].removesuffix(".jsonl")
        return name if name in self._ids or not self._ids else next(iter(self._ids))

    def _add_title(self, line: Fields) -> None:
        kind = line.text("type")
        if kind in ("custom-title", "ai-title"):
            self._titles[kind] = line.text("customTitle", "aiTitle")
        elif kind == "summary":
            self._summaries.append((line.text("leafUuid"), line.text("summary")))
        line.keep("customTitle", "aiTitle", "leafUuid", "summary")  # only one of all becomes the title

    def _title(self) -> str:
        own = [summary for leaf, summary in self._summaries if leaf in self._tree]
        titles = self._titles | ({"summary": own[-1]} if own else {})
        return next((titles[kind] for kind in TITLES if titles.get(kind)), "")

    def _add_rest(self, name: str, line: Fields) -> None:
        """Keep what has no place, by the id of the line."""
        about = {field: line.value(field) for field in LASTING if field in line}
        line.skip(*SAID_ELSEWHERE)
        changed = {field: value for field, value in about.items() if self._lasting.get(field) != value}
        self._lasting |= changed
        rest = line.rest()
        rest.pop("type", None) if set(rest) <= {"type", "timestamp"} else None
        if whole := changed | rest:
            self._rest.append(f"{json_of(name)}:{rest_json(whole)}")
