"""Values of tools: offered tools, required permissions of a call, the user's rules, and paths to other computers.

On Windows, access to a path on another computer sends the user's name to that host, and a response that proves the
password.
"""

from __future__ import annotations

import fnmatch
import ntpath
from collections.abc import Sequence
from typing import Literal

import msgspec

from .message import Attachment, CallEnding, CallSandbox

# Reasons why a call did not run, for the model; recorded as its result or, for the last one, before the result.
DENIED = "The user did not allow this call. Do not try the same in another way: go on without it, or ask the user."
OFF_HERE = "The user has switched this tool off in this conversation."
FORBIDDEN = "A rule of the user's forbids this call. Do not try the same in another way."
HAS_IT = (
    "[Not run again: the same call has given the same result twice in this turn, and it is above. To wait for "
    "something, let one call wait longer; else go on with what you have.]"
)
AS_RECORDED = "[Not run again: this call has run in this turn already. Its result, as it is recorded:]"


class ToolSpec(msgspec.Struct, frozen=True):
    """A tool that is offered to a model."""

    name: str
    description: str
    parameters: str = '{"type":"object","properties":{}}'
    """A JSON Schema of type "object", as text, so that a request has the same bytes each time."""
    source: str = ""
    """The MCP server that offers it; "" for a tool of ours."""


WITH_NETWORK, OUTSIDE = "bash_network", "bash_outside"
"""Names in permissions and rules for `bash` in the sandbox with network, and outside the sandbox. Calls that are
allowed for `bash` are not allowed for these; calls that are denied for it are also denied for these."""
NeedKind = Literal["read", "write", "run", "network", "mcp", "recall"]
MAX_NEEDS, MAX_TARGETS = 50, 4_000
"""Maximum permissions of a call for which an answer is stored as rules, and their maximum characters. Users would not
read more, and a model may write megabytes."""


class RequiredPermission(msgspec.Struct, frozen=True):
    """An action of a call that needs the user's permission."""

    tool: str
    kind: NeedKind
    target: str
    """The text that is matched with a rule's pattern: an absolute path, a command line, a host, "server/tool", or the
    scope of recall: "project" or "everything"."""
    suggestion: str = ""
    """The pattern that is proposed for "always"."""
    conversations: int = 0
    """Number of conversations that would be searched; 0 for other kinds."""
    fingerprint: str = ""
    """For a tool of an MCP server, a hash of its present name, description and arguments; "" for other tools."""
    about: str = ""
    """The server's description of the tool."""
    only_reads: bool = False
    """Whether its MCP server says that the tool only reads; then such calls of one reply run at the same time."""
    is_destructive: bool = False
    """Whether its MCP server says that the tool may delete or overwrite something."""
    is_granted: bool = False
    """Whether the settings of its MCP server allow it, unless a rule denies it."""
    earlier: Literal["", "changed", "unbound"] = ""
    """In a question, why a rule that allows the tool does not apply: the tool has changed since, or the rule has no
    fingerprint, since it is from an older version."""


def can_be_kept(needs: Sequence[RequiredPermission]) -> bool:
    """Return whether an answer to the needs may be stored as rules; otherwise the call is allowed once, or denied."""
    return len(needs) <= MAX_NEEDS and sum(len(need.target) for need in needs) <= MAX_TARGETS


ANY_FINGERPRINT = "*"
"""The fingerprint of a rule that applies to every tool with the name, independent of its description."""


class Rule(msgspec.Struct, frozen=True):
    """A rule by which the user allows or forbids calls."""

    tool: str
    """A tool's name, or "*" for all."""
    pattern: str = "*"
    """Pattern of targets, with * and ?."""
    is_allowed: bool = True
    fingerprint: str = ""
    """Fingerprint of the MCP server's tool that was allowed; "" for other tools."""

    def covers(self, need: RequiredPermission) -> bool:
        return self.names(need) and (not self.is_allowed or self._is_about(need))

    def names(self, need: RequiredPermission) -> bool:
        """Return whether the names of tool and target match the rule, ignoring fingerprints."""
        return self.tool in ("*", need.tool) and fnmatch.fnmatchcase(need.target, self.pattern)

    def _is_about(self, need: RequiredPermission) -> bool:
        is_for_all = self.tool == "*" or not need.fingerprint
        return is_for_all or self.fingerprint in (need.fingerprint, ANY_FINGERPRINT)


Scope = Literal["once", "conversation", "always"]
"""The validity of an answer: for this call, for this conversation, or from now on."""


class PermissionAnswer(msgspec.Struct, frozen=True):
    """The user's answer to a question."""

    is_allowed: bool
    scope: Scope = "once"
    pattern: str = ""
    """The pattern as edited by the user, for a scope other than "once"."""


ChangeNote = Literal[
    "", "new", "same", "line_ends", "private", "missing", "folder", "not_found", "ambiguous", "unreadable"
]
"""Notes that a preview cannot show as lines: the file is new, nothing would change, or only its line ends; or why there
are no lines: reading the file needs permission, it does not exist, it is a folder, the text to be replaced is not in
it, or occurs several times, or the file is not readable text, or too large."""


class DiffLine(msgspec.Struct, frozen=True):
    """A line of a preview. Removed lines have their number in the present file, others in the changed one."""

    number: int
    """From 1; 0 for a gap between two places."""
    sign: Literal["-", "+", " "]
    text: str


class ChangePreview(msgspec.Struct, frozen=True):
    """The changes that a call would make to a file in its present state."""

    lines: tuple[DiffLine, ...] = ()
    more: int = 0
    """Number of further lines."""
    note: ChangeNote = ""


class ToolOutcome(msgspec.Struct, frozen=True):
    """The outcome of a call, for the model. `text` is complete; it is truncated before it is recorded."""

    text: str
    is_error: bool = False
    ending: CallEnding = ""
    sandbox: CallSandbox = ""
    attachments: tuple[Attachment, ...] = ()
    """Images, which are sent to models that see."""


class ToolContext(msgspec.Struct, frozen=True):
    """The context in which the tools of a conversation run."""

    conversation: str
    folder: str = ""
    """An absolute path; "" if none was chosen."""
    project: str = ""
    """The id of the conversation's project; "" for none."""
    allowed: tuple[RequiredPermission, ...] | None = None
    """The actions that the call may do; None until that is decided."""
    is_by_user: bool = False
    """Whether the user typed the call, which then runs even if its tool is switched off for models."""


def is_on_other_host(path: str) -> bool:
    """Return whether a path begins with two slashes of either kind, as in `\\\\host\\share` and `//host/share`.

    This includes devices (`\\\\.\\pipe`, `\\\\?\\UNC`). On other systems than Windows, two slashes are the same as one.
    """
    return path[:2].replace("/", "\\") == "\\\\"


def leads_to_other_host(path: str, folder: str) -> bool:
    """Return whether a path relative to the folder is on another host, and not on the share of the folder itself."""
    joined = ntpath.join(folder, path)
    share, own = (ntpath.normcase(ntpath.splitdrive(each)[0]) for each in (joined, folder))
    return is_on_other_host(joined) and share != own
