"""Tools as values: what a model may call, what a call needs from the user, and what the user allows."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from typing import Literal

import msgspec

from .message import CallEnding, CallSandbox

# Why a call did not run, in words for the model; records have them as its result, or, of the last, before it.
DENIED = "The user did not allow this call. Do not try the same in another way: go on without it, or ask the user."
OFF_HERE = "The user has switched this tool off in this conversation."
FORBIDDEN = "A rule of the user's forbids this call. Do not try the same in another way."
HAS_IT = (
    "[Not run again: the same call has given the same result twice in this turn, and it is above. To wait for "
    "something, let one call wait longer; else go on with what you have.]"
)
AS_RECORDED = "[Not run again: this call has run in this turn already. Its result, as it is recorded:]"


class ToolSpec(msgspec.Struct, frozen=True):
    """A tool as it is offered to a model."""

    name: str
    description: str
    parameters: str = '{"type":"object","properties":{}}'
    """A JSON Schema of type "object", as text, so that a request has the same bytes each time."""
    source: str = ""
    """The MCP server that offers it; "" for a tool of ours."""


WITH_NETWORK, OUTSIDE = "bash_network", "bash_outside"
"""What permissions and rules call `bash` in the sandbox with network, and outside of it. What is allowed for `bash` is
not allowed for these; what is denied there is denied here."""
NeedKind = Literal["read", "write", "run", "network", "mcp", "recall"]
MAX_NEEDS, MAX_TARGETS = 50, 4_000
"""How many permissions of one call an answer is kept for, and of how many characters in all. Nobody reads more, and a
model may write megabytes."""


class RequiredPermission(msgspec.Struct, frozen=True):
    """Something that a call would do, and that the user may not want."""

    tool: str
    kind: NeedKind
    target: str
    """What a rule's pattern is matched with: an absolute path, a command line, a host, "server/tool", or where recall
    looks: "project" or "everything"."""
    suggestion: str = ""
    """The pattern that is proposed for "always"."""
    conversations: int = 0
    """In how many conversations it would be looked; 0 for another kind."""
    fingerprint: str = ""
    """Of a tool that an MCP server offers: of its name, its description and its arguments as they are now."""
    about: str = ""
    """What that server says of the tool."""
    earlier: Literal["", "changed", "unbound"] = ""
    """In a question, what is known of a rule that allows the tool and does not hold: the tool is another one now, or
    the rule does not say which it was, since it is older than that note."""


def can_be_kept(needs: Sequence[RequiredPermission]) -> bool:
    """Return whether an answer to them may be kept as rules; else the call is allowed once, or denied."""
    return len(needs) <= MAX_NEEDS and sum(len(need.target) for need in needs) <= MAX_TARGETS


ANY_FINGERPRINT = "*"
"""Of a rule that holds for a tool of that name, whatever its server says of it."""


class Rule(msgspec.Struct, frozen=True):
    """What the user allows or forbids."""

    tool: str
    """A tool's name, or "*" for all."""
    pattern: str = "*"
    """With * and ?."""
    is_allowed: bool = True
    fingerprint: str = ""
    """Of the MCP server's tool that was allowed."""

    def covers(self, need: RequiredPermission) -> bool:
        return self.names(need) and (not self.is_allowed or self._is_about(need))

    def names(self, need: RequiredPermission) -> bool:
        """Return whether it is about that tool and target, as far as their names go."""
        return self.tool in ("*", need.tool) and fnmatch.fnmatchcase(need.target, self.pattern)

    def _is_about(self, need: RequiredPermission) -> bool:
        is_for_all = self.tool == "*" or not need.fingerprint
        return is_for_all or self.fingerprint in (need.fingerprint, ANY_FINGERPRINT)


Scope = Literal["once", "conversation", "always"]
"""How long an answer holds: for this call, for this conversation, or from now on."""


class PermissionAnswer(msgspec.Struct, frozen=True):
    """What the user said to a question."""

    is_allowed: bool
    scope: Scope = "once"
    pattern: str = ""
    """As the user left it, for a scope that is more than once."""


ChangeNote = Literal[
    "", "new", "same", "line_ends", "private", "missing", "folder", "not_found", "ambiguous", "unreadable"
]
"""What a preview cannot show as lines: that the file is a new one, that nothing or its line ends alone would change; or
why there is none: reading the file needs permission, there is none of that name, or a folder, the text to be replaced
is nowhere in it, or at several places, or it is no text that can be read, or too large."""


class DiffLine(msgspec.Struct, frozen=True):
    """A line of a preview. A removed line has its number in the file as it is, each other one as it would be."""

    number: int
    """From 1; 0 where lines between two places are left out."""
    sign: Literal["-", "+", " "]
    text: str


class ChangePreview(msgspec.Struct, frozen=True):
    """What a call would change in a file as it is now."""

    lines: tuple[DiffLine, ...] = ()
    more: int = 0
    """Lines that are not among them."""
    note: ChangeNote = ""


class ToolOutcome(msgspec.Struct, frozen=True):
    """How a call ended, for the model. `text` is whole: it is truncated later, as it enters."""

    text: str
    is_error: bool = False
    ending: CallEnding = ""
    sandbox: CallSandbox = ""


class ToolContext(msgspec.Struct, frozen=True):
    """Where the tools of a conversation work."""

    conversation: str
    folder: str = ""
    """An absolute path; "" when none was chosen."""
    project: str = ""
    """The id of the conversation's project; "" for none."""
    allowed: tuple[RequiredPermission, ...] | None = None
    """What the call that runs there may do; None as long as that was not decided."""
    is_by_user: bool = False
    """Whether the user has typed the call: then it runs although its tool is switched off for models."""
