"""How `bash` uses the sandbox: where a command runs, and what the model is told when that was in its way."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from typing import Literal

from desktop_app.conversation.message import CallSandbox
from desktop_app.conversation.tools import OUTSIDE, WITH_NETWORK, ToolContext
from desktop_app.permissions.rules import COMMANDS
from desktop_app.settings import Settings

from .child_process import clean_environment
from .path_policy import working_folder
from .sandbox.sandbox import Confined, Rights, Sandbox, Unconfinable
from .tool import ToolFailed

Access = Literal["", "network", "outside"]
"""What a command needs beside the sandbox: network, or to run outside of it."""
RULES: dict[CallSandbox, str] = {"network": WITH_NETWORK, "outside": OUTSIDE}
"""For rules of permission: the names of commands that ran there."""
ABOUT = (
    " It runs in a sandbox: only the working folder and /tmp, which is its own, can be written, keys are hidden"
    "{network}. For what needs more, such as git push or an installation, set access: the user is asked."
)
NO_NETWORK, HAS_NETWORK = ", there is no network", ""
NETWORK_OFF = "The user has switched the network off for commands. Go on without it, or ask the user."
IN_THE_WAY = re.compile(
    r"Read-only file system|Permission denied|Operation not permitted|Device or resource busy|EROFS|EACCES|EPERM|EBUSY"
    r"|resolve host|name resolution|getaddrinfo|EAI_AGAIN|ENETUNREACH|Network is (?:unreachable|down)|could not resolve"
    r"|name or service not known|connection refused|ECONNREFUSED|failed to lookup address|no such host|^bwrap: ",
    re.IGNORECASE | re.MULTILINE,
)
"""What programs say when the sandbox keeps something from them; also when something else does."""
MAX_LOOKED_AT = 20_000
"""Characters of the end of an output."""
CLOSED_NOTE = (
    "\n[It ran in the sandbox: files outside of the working folder and /tmp cannot be written, nor .git/hooks and"
    " .git/config, and files with keys cannot be read.{network}{git} If that was in the way, and only then, call it"
    ' again with access "outside"{or_network}: the user is asked.]'
)
_GIT_SETTINGS = re.compile(r"could not (?:write|lock) config file")
GIT_NOTE = " For one command git -c NAME=VALUE sets what would stand in .git/config, such as user.name and user.email."
_GIT_REMOVAL = re.compile(r"(?:cannot remove|failed to delete) .*Device or resource busy")
REMOVAL_NOTE = " A repository or a working tree that was there before the command can be emptied, but not removed."


class CommandSandbox:
    """The sandbox of commands, by the settings as they are now."""

    def __init__(self, sandbox: Sandbox, settings: Callable[[], Settings]) -> None:
        self._sandbox = sandbox
        self._settings = settings

    async def is_on(self) -> bool:
        """Return whether commands of models run in the sandbox."""
        return self._settings().is_sandboxed and not await self._sandbox.fault()

    async def about(self) -> str:
        """Return what a model is told of it; "" if there is none."""
        if not await self.is_on():
            return ""
        return ABOUT.format(network=HAS_NETWORK if self._settings().command_network == "allowed" else NO_NETWORK)

    async def place_of(self, access: Access, context: ToolContext) -> CallSandbox:
        """Return where a command runs. What the user has typed runs as in a terminal."""
        settings = self._settings()
        if context.is_by_user or not settings.is_sandboxed:
            return ""
        if await self._sandbox.fault():
            return "missing" if sys.platform == "linux" else ""
        if access == "outside":
            return "outside"
        if access == "network" and settings.command_network == "off":
            raise ToolFailed(NETWORK_OFF)
        return "network" if access == "network" or settings.command_network == "allowed" else "closed"

    def rule_of(self, place: CallSandbox) -> str:
        """Return the name under which rules allow commands there: that of all commands, if it is no more than usual."""
        is_usual = place == "network" and self._settings().command_network == "allowed"
        return COMMANDS if is_usual else RULES.get(place, COMMANDS)

    async def confine(self, argv: tuple[str, ...], place: CallSandbox, context: ToolContext) -> Confined | None:
        """Return how to run a command there; None if that is outside of the sandbox. Raises ToolFailed."""
        if place not in ("closed", "network"):
            return None
        allowed = tuple(need.target for need in context.allowed or () if need.kind == "read")
        rights = Rights(context.conversation, place == "network", self._settings().writable_folders, allowed)
        try:
            return await self._sandbox.confine(argv, working_folder(context), clean_environment(os.environ), rights)
        except Unconfinable as error:
            raise ToolFailed(f'{error} A command can run there with access "outside": the user is asked.') from None

    def note(self, place: CallSandbox, output: str) -> str:
        """Return what a failed command's result says of the sandbox; "" if that was hardly the reason."""
        end = output[-MAX_LOOKED_AT:]
        if place not in ("closed", "network") or not IN_THE_WAY.search(end):
            return ""
        has_network, mode = place == "network", self._settings().command_network
        return CLOSED_NOTE.format(
            network="" if has_network else " There is no network.",
            git=GIT_NOTE * bool(_GIT_SETTINGS.search(end)) + REMOVAL_NOTE * bool(_GIT_REMOVAL.search(end)),
            or_network=' or "network"' if not has_network and mode == "ask" else "",
        )
