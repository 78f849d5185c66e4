"""Tools as values: what a model may call, what a call needs from the user, and what the user allows."""

from __future__ import annotations

import fnmatch
from typing import Literal

import msgspec

from .message import CallEnding


class ToolSpec(msgspec.Struct, frozen=True):
    """A tool as it is offered to a model.

    parameters: a JSON Schema of type "object", as JSON text, so that a request has the same bytes each time.
    source: the MCP server that offers it; "" for a tool of ours.
    """

    name: str
    description: str
    parameters: str = '{"type":"object","properties":{}}'
    source: str = ""


NeedKind = Literal["read", "write", "run", "network", "mcp"]


class RequiredPermission(msgspec.Struct, frozen=True):
    """Something that a call would do, and that the user may not want.

    target: what a rule's pattern is held against: an absolute path, a command line, a host, or "server/tool".
    suggestion: the pattern that is proposed for "always".
    """

    tool: str
    kind: NeedKind
    target: str
    suggestion: str = ""


class Rule(msgspec.Struct, frozen=True):
    """What the user allows or forbids. tool: a tool's name, or "*" for all. pattern: with * and ?; "*" for anything."""

    tool: str
    pattern: str = "*"
    is_allowed: bool = True

    def covers(self, need: RequiredPermission) -> bool:
        """Whether it speaks of that need."""
        return self.tool in ("*", need.tool) and fnmatch.fnmatchcase(need.target, self.pattern)


Scope = Literal["once", "conversation", "always"]
"""How long an answer holds: for this call, for this conversation, or from now on."""


class PermissionAnswer(msgspec.Struct, frozen=True):
    """What the user said to a question. pattern: as the user left it, for a scope that is more than once."""

    is_allowed: bool
    scope: Scope = "once"
    pattern: str = ""


class ToolOutcome(msgspec.Struct, frozen=True):
    """How a call ended, in the words that the model gets. `text` is whole: it is truncated later, as it enters.

    ending: see `ToolResult`.
    """

    text: str
    is_error: bool = False
    ending: CallEnding = ""


class ToolContext(msgspec.Struct, frozen=True):
    """Where the tools of a conversation work. folder: an absolute path; "" when none was chosen.

    allowed: what the call that runs there needs, and may do; None as long as that was not decided.
    """

    conversation: str
    folder: str = ""
    allowed: tuple[RequiredPermission, ...] | None = None
