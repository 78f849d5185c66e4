"""The errors of a connection to a server of tools, put into words. Imports the `mcp` package: import it late."""

from __future__ import annotations

import httpx2
import msgspec
from mcp import MCPError, types
from pydantic import ValidationError

from desktop_app.settings import McpServer

from .http import Refused
from .link import Link as Link
from .words import Reason, end_of

NEWER_ONLY = (types.UNSUPPORTED_PROTOCOL_VERSION, types.METHOD_NOT_FOUND)
"""What a server answers to the old handshake if it knows only the new one."""
_CLOSED = "Connection closed"
"""What the package says of a connection that has ended."""
_SETTINGS = "Look at its command in the settings, and try it in a terminal."


def is_newer_only(error: BaseException) -> bool:
    """Whether a server should be asked again with the newer handshake."""
    leaf = _leaf(error)
    return isinstance(leaf, MCPError) and leaf.code in NEWER_ONLY


def reason_of(error: BaseException, server: McpServer, link: Link, seconds: float) -> Reason | None:
    """Why a connection could not be opened, or ended. None where the error is none of the world. seconds: the limit."""
    match _leaf(error):
        case TimeoutError():
            return _silent(link, seconds)
        case MCPError() as refusal:
            return _refused(refusal, link)
        case Refused() as refusal:
            return Reason("garbage", str(refusal), "Only the makers of the server can change that.")
        case httpx2.InvalidURL() | httpx2.UnsupportedProtocol():
            return Reason("bad_input", "Its address is not one.", "Correct the address in the settings.")
        case httpx2.HTTPError() as trouble:
            return _unreachable(trouble)
        case OSError() as trouble if link.child is None and server.command:
            return _not_started(trouble, server)
        case OSError() as trouble:
            return Reason("connection", f"The connection broke: {trouble.strerror or trouble}.")
        case ValidationError() | msgspec.MsgspecError() | UnicodeError():
            return Reason(
                "garbage", "What it sent is not what the protocol wants.", "Try a newer version of the server."
            )
        case RuntimeError() as trouble if "protocol version" in str(trouble):
            return Reason("unsupported", f"{trouble}.", "Try another version of the server.")
        case ValueError() as trouble if server.command and link.child is None:
            return Reason("bad_input", f"Its program could not be started: {trouble}.", _SETTINGS)
    return None


def ended(link: Link) -> Reason:
    """Of a connection that was open, and ended by itself."""
    what = end_of(link.child.code) if link.child is not None else "It closed the connection."
    return Reason("connection", what, is_over=True)


def _leaf(error: BaseException) -> BaseException:
    """The first error of a group: the package's task groups wrap whatever goes wrong in them."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _refused(error: MCPError, link: Link) -> Reason:
    # The package's own number for a connection that is closed is one that servers may use for errors of theirs.
    is_over = error.code == types.CONNECTION_CLOSED and (link.has_ended or error.message == _CLOSED)
    if is_over and link.child is not None:
        return ended(link)
    if link.child is not None:
        return Reason("malformed", f"It refuses the request: {error.message}")
    status = link.traffic.status
    if status in (401, 403):
        return Reason("auth", f"It does not accept the key (HTTP {status}).", "Enter its key in the settings.")
    if status == 404 and link.is_open:
        return Reason("connection", "It has forgotten this session.", is_over=True, is_unsent=True)
    if status == 404:
        return Reason("not_found", "There is no such server at its address (HTTP 404).", "Correct the address.")
    if status == 429:
        return Reason("rate_limit", "It was asked too often (HTTP 429).", "Wait a minute.")
    if status >= 500:
        return Reason("server", f"It has an error of its own (HTTP {status}).", "Wait, or ask who runs it.")
    if error.code == types.CONNECTION_CLOSED:
        return Reason("cut", f"The connection broke off: {error.message}.", is_over=is_over)
    return Reason("malformed", f"It refuses the request: {error.message}")


def _silent(link: Link, seconds: float) -> Reason:
    what = f"It did not answer within {seconds:g} seconds."
    garbage = link.child.garbage if link.child is not None else ""
    if garbage:
        return Reason("garbage", f"{what} What it writes is not the protocol: {garbage!r}", _SETTINGS)
    return Reason("timeout", what, "If it needs long to start, ask again in a while.")


def _unreachable(error: httpx2.HTTPError) -> Reason:
    if isinstance(error, httpx2.TimeoutException):
        return Reason("timeout", "Its address does not answer in time.", "Look whether it runs.", is_over=True)
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        advice = "Do not send it anything before you know why."
        return Reason("connection", "Its certificate is not valid: this may be another computer.", advice, is_over=True)
    return Reason("connection", f"It could not be reached: {error}.", "Look whether it runs.", is_over=True)


def _not_started(error: OSError, server: McpServer) -> Reason:
    program = server.command[0]
    if isinstance(error, FileNotFoundError) and error.filename not in (program, None):
        return Reason("not_found", f"Its folder {error.filename} is not there.", "Choose another folder.")
    if isinstance(error, FileNotFoundError):
        return Reason("not_found", f"Its program {program!r} was not found.", "Install it, or correct the command.")
    return Reason("bad_input", f"Its program {program!r} could not be started: {error.strerror or error}.", _SETTINGS)
