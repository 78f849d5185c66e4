"""Descriptions of errors of a session with an MCP server. Imports the `mcp` package, so it must be imported late."""

from __future__ import annotations

import httpx2
import msgspec
from mcp import MCPError, types
from pydantic import ValidationError

from desktop_app.conversation.words import translatable
from desktop_app.settings import McpServer

from .http import Refused
from .mcp_failures import Reason, describe_exit
from .mcp_session import ServerSession as ServerSession

NEWER_ONLY = (types.UNSUPPORTED_PROTOCOL_VERSION, types.METHOD_NOT_FOUND)
"""Error codes with which a server that knows only the new handshake answers the old one."""
_CLOSED = "Connection closed"
"""The package's message for a connection that has ended."""
_UNREADABLE = "Server returned an error response"
"""The package's message for a refusal that does not follow the protocol, as from the TypeScript SDK."""
_SETTINGS = translatable("Look at its command in the settings, and try it in a terminal.")

_OF_STATUS = {
    401: ("auth", translatable("It does not accept the key"), translatable("Enter its key in the settings.")),
    403: ("auth", translatable("It does not accept the key"), translatable("Enter its key in the settings.")),
    404: ("not_found", translatable("There is no such server at its address"), translatable("Correct the address.")),
    429: ("rate_limit", translatable("It receives too many requests"), translatable("Wait a minute.")),
    500: ("server", translatable("It reported an internal error"), translatable("Wait, or ask who runs it.")),
}


def is_newer_only(error: BaseException) -> bool:
    """Return whether the newer handshake should be tried after this error."""
    leaf = _first_error(error)
    return isinstance(leaf, MCPError) and leaf.code in NEWER_ONLY


def reason_of(error: BaseException, server: McpServer, session: ServerSession, seconds: float) -> Reason | None:
    """Return the reason why a session failed to open, or ended; None for an unexpected error.

    seconds: the time limit.
    """
    match _first_error(error):
        case TimeoutError():
            return _silent(session, seconds)
        case MCPError() as refusal:
            return _reason_of_refusal(refusal, session)
        case Refused() as refusal:
            return Reason("garbage", str(refusal), translatable("Only the makers of the server can change that."))
        case httpx2.InvalidURL() | httpx2.UnsupportedProtocol():
            return Reason(
                "bad_input",
                translatable("Its address is not valid."),
                translatable("Correct the address in the settings."),
            )
        case httpx2.HTTPError() as trouble:
            return _unreachable(trouble)
        case OSError() as trouble if session.process is None and server.command:
            return _not_started(trouble, server)
        case OSError() as trouble:
            return Reason(
                "connection", translatable("The connection broke: {error}.").format(error=trouble.strerror or trouble)
            )
        case ValidationError() | msgspec.MsgspecError() | UnicodeError() | OverflowError():  # a number of 400 digits
            return Reason(
                "garbage",
                translatable("What it sent does not follow the protocol."),
                translatable("Try a newer version of the server."),
            )
        case RuntimeError() as trouble if "protocol version" in str(trouble):
            return Reason("unsupported", f"{trouble}.", translatable("Try another version of the server."))
        case ValueError() as trouble if server.command and session.process is None:
            return Reason(
                "bad_input", translatable("Its program could not be started: {error}.").format(error=trouble), _SETTINGS
            )
    return None


def reason_of_end(session: ServerSession) -> Reason:
    """Return the reason why an open session ended that Palimpsest did not close."""
    description = (
        describe_exit(session.process.exit_code)
        if session.process is not None
        else translatable("It closed the connection.")
    )
    return Reason("connection", description, is_over=True)


def _first_error(error: BaseException) -> BaseException:
    """Return the first error in nested groups, because the package's task groups wrap errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _reason_of_refusal(error: MCPError, session: ServerSession) -> Reason:
    # Servers may use the package's code for a closed connection for other errors.
    is_over = error.code == types.CONNECTION_CLOSED and (session.has_ended or error.message == _CLOSED)
    if is_over and session.process is not None:
        return reason_of_end(session)
    if session.process is not None:
        return Reason("malformed", translatable("It refuses the request: {error}").format(error=error.message))
    status = session.traffic.last_status
    if status == 401 and not session.has_key:
        return _wants_sign_in(session)
    if session.is_open and (status == 404 or (status == 400 and _is_about_session(error.message))):
        return Reason("connection", translatable("It has forgotten this session."), is_over=True, is_unsent=True)
    if status in _OF_STATUS or status >= 500:
        kind, text, advice = _OF_STATUS.get(status, _OF_STATUS[500])
        return Reason(kind, translatable("{text} (HTTP {status}).").format(text=text, status=status), advice)
    if error.code == types.CONNECTION_CLOSED:
        return Reason(
            "cut", translatable("The connection broke off: {error}.").format(error=error.message), is_over=is_over
        )
    return Reason("malformed", translatable("It refuses the request: {error}").format(error=error.message))


def _is_about_session(message: str) -> bool:
    """Return whether a refusal with HTTP 400 may mean that the server was restarted, and does not know the session."""
    return message == _UNREADABLE or "session" in message.lower()


def _wants_sign_in(session: ServerSession) -> Reason:
    """Return the reason of a server that refuses a request without a key: what it says that it wants."""
    if "resource_metadata" in session.traffic.challenge.lower():
        text = translatable("It wants you to sign in with a browser (OAuth), which is not supported yet (HTTP 401).")
        advice = translatable("If it also accepts keys, enter one in the settings; or use it through mcp-remote.")
    else:
        text = translatable("It wants a key, and none is set (HTTP 401).")
        advice = translatable("Enter its key in the settings.")
    return Reason("auth", text, advice)


def _silent(session: ServerSession, seconds: float) -> Reason:
    silence = translatable("It did not answer within {seconds} seconds.").format(seconds=f"{seconds:g}")
    garbage = session.process.garbage if session.process is not None else ""
    if garbage:
        return Reason(
            "garbage",
            translatable("{silent} Its output does not follow the protocol: {garbage}").format(
                silent=silence, garbage=repr(garbage)
            ),
            _SETTINGS,
        )
    return Reason("timeout", silence, translatable("If it takes long to start, try again in a while."))


def _unreachable(error: httpx2.HTTPError) -> Reason:
    if isinstance(error, httpx2.TimeoutException):
        return Reason(
            "timeout",
            translatable("Its address does not answer in time."),
            translatable("Check whether it is running."),
            is_over=True,
        )
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        advice = translatable("Do not send it anything before you know why.")
        return Reason(
            "connection",
            translatable("Its certificate is not valid: this may be another computer."),
            advice,
            is_over=True,
        )
    return Reason(
        "connection",
        translatable("It could not be reached: {error}.").format(error=error),
        translatable("Check whether it is running."),
        is_over=True,
    )


def _not_started(error: OSError, server: McpServer) -> Reason:
    program = server.command[0]
    if isinstance(error, FileNotFoundError) and error.filename not in (program, None):
        return Reason(
            "not_found",
            translatable("Its folder {folder} does not exist.").format(folder=error.filename),
            translatable("Choose another folder."),
        )
    if isinstance(error, FileNotFoundError):
        return Reason(
            "not_found",
            translatable("Its program {program} was not found.").format(program=repr(program)),
            translatable("Install it, or correct the command."),
        )
    return Reason(
        "bad_input",
        translatable("Its program {program} could not be started: {error}.").format(
            program=repr(program), error=error.strerror or error
        ),
        _SETTINGS,
    )
