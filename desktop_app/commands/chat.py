"""`palimpsest chat`: take turns without a window; each line of standard input is a user message."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec.structs import replace

from desktop_app.addresses import without_secrets
from desktop_app.chat.ports import ModelError, WorldError
from desktop_app.chat.research import question_in
from desktop_app.chat.session import Session
from desktop_app.chat.session_model import choose_model
from desktop_app.chat.turn.take_turn import TurnOptions
from desktop_app.conversation.events import (
    Failure,
    GaugeChanged,
    MessageRecorded,
    Noticed,
    OperationRow,
    TextDelta,
    ToolStarted,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    ViewChanged,
)
from desktop_app.conversation.message import Message, ReplyEnding, Role
from desktop_app.conversation.tools import NeedKind, Rule
from desktop_app.engine.compose import compose_services
from desktop_app.engine.engine import log_bug
from desktop_app.engine.services import EngineServices
from desktop_app.log_files import log_beside
from desktop_app.permissions.rules import COMMANDS, effect_of, rules_of_option
from desktop_app.settings import Server, ServerKind, Settings

from .arguments import (
    WORLD_ERROR,
    BadInput,
    add_data_and_json,
    data_of,
    print_failure,
    show,
    show_error,
    tokens_argument,
)
from .attached import attached_in
from .policy_command import policy_called
from .projects_command import project_called

MAX_LINE = 64 * 1024 * 1024
"""Bytes of one message: enough for a pasted book."""
INTERRUPTED = 130
"""Exit code, as shells report it for a program that was ended by Ctrl-C."""
SERVER = "chat"
"""The name of a server that is specified by its URL; its key, if any, is read from PALIMPSEST_KEY_CHAT."""
KEY_ADVICE = f"Set PALIMPSEST_KEY_{SERVER.upper()} to its key, or leave --base-url out for a server of the settings."

OPERATION_EVENTS = {"prune": "pruned", "compaction": "compacted", "flush": "flushed"}

ENDINGS: dict[ReplyEnding, tuple[str, str]] = {
    "length": ("The reply was cut: it reached the longest length of one reply", "Ask the model to go on."),
    "content_filter": ("The provider refused to answer this, or to go on with it", "Ask otherwise, or another model."),
    "malformed_call": ("The model made a tool call that could not be read", "Ask again, or another model."),
    "empty": ("The model gave no answer", "Ask again, or another model."),
}
"""Title and advice of the notice about a reply that its provider ended early."""

KINDS: dict[str, NeedKind] = {COMMANDS: "run", "write": "write", "edit": "write", "web_fetch": "network"}
"""Tools with patterns that may allow more than reading."""

Line = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--model", required=True, metavar="M", help='such as "builtin", "anthropic/claude-opus-4-6"')
    parser.add_argument("--base-url", metavar="URL", help="the server, if it is not in the settings")
    parser.add_argument(
        "--window",
        type=tokens_argument,
        metavar="N",
        help="its context window in tokens, if the server does not report it",
    )
    parser.add_argument("--policy", metavar="P", help="a preset, or a policy of your own")
    parser.add_argument("--conversation", metavar="ID", help="continue this conversation (default: a new one)")
    parser.add_argument("--project", metavar="NAME", help="the project of a new conversation, whose instructions apply")
    parser.add_argument(
        "--allow",
        metavar="TOOLS",
        default="",
        help='the tools that may run, such as "read,write" or "bash:git *"; or "all"',
    )
    parser.add_argument(
        "--send-anyway", action="store_true", help="send even if the request leaves hardly any room in the window"
    )
    add_data_and_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Return exit code 0 if all turns finished, 1 if the last one failed, 2 for wrong arguments, 130 if interrupted.

    The part of a reply that had arrived before an interruption is stored.
    """
    try:
        rules = rules_of_option(arguments.allow) if arguments.allow.strip() else ()
    except ValueError as error:
        raise BadInput("--allow cannot be read", str(error)) from error
    for line in wide_rules(rules):
        show_error(line)
    try:
        with log_beside(data_of(arguments)):
            return asyncio.run(_chat(arguments, rules))
    except KeyboardInterrupt:
        return INTERRUPTED


def wide_rules(rules: tuple[Rule, ...]) -> Iterator[str]:
    """Yield a warning for each rule that allows more than reading."""
    for rule in rules:
        if rule.tool in ("*", COMMANDS) and not rule.pattern.strip("*? "):
            yield f"[--allow {rule.tool}: any command runs without a question]"
        elif rule.tool in KINDS and (effect := effect_of(KINDS[rule.tool], rule.pattern)) and effect.is_risky:
            yield f"[--allow {rule.tool}:{rule.pattern}: {effect.text.format(names=', '.join(effect.names))}]"


async def _chat(arguments: argparse.Namespace, rules: tuple[Rule, ...]) -> int:
    model, server = server_of(arguments.model, arguments.base_url, arguments.window)
    printer = EventPrinter(arguments.json)

    def with_options(settings: Settings) -> Settings:
        servers = settings.servers if server is None else (*settings.servers, server)
        policy = policy_called(arguments.policy, settings).name if arguments.policy else settings.policy
        return replace(settings, chat_model=model, servers=servers, policy=policy, folder=os.getcwd())

    services = await compose_services(
        data_of(arguments), printer.print, lambda: None, log_bug, with_options, allowed=rules, is_attended=False
    )
    try:
        await services.get_ready()
        session = await _session(services, arguments.conversation, arguments.project, model)
        return await _talk(services, session, printer, arguments.send_anyway)
    finally:
        await services.close()


async def _session(services: EngineServices, conversation: str | None, project: str | None, model: str) -> Session:
    chats = services.conversations
    await choose_model(services.catalogue, model)  # raises if it cannot be used, before anything is stored
    if not conversation:
        found = project_called(await chats.archive.projects(), project).id if project else ""
        return await chats.create(model=model, project=found)
    session = await chats.open(conversation)
    return session if session.info.model == model else await chats.choose_model(conversation, model)


async def _talk(services: EngineServices, session: Session, printer: EventPrinter, is_forced: bool) -> int:
    """Take a turn for each line, one after the other, and wait for background work at the end."""
    turns = services.conversations.turns
    async for line in _standard_input():
        if text := line.decode(errors="replace").strip():
            try:
                await _send(services, session, text, is_forced)
            except WorldError as error:  # for a file that the line names: there may be more lines
                printer.print(TurnFailed(session.id, error.failure))
                printer.print(TurnFinished(session.id, "failed"))
            await turns.wait_until_idle(session.id)
            if not printer.has_reader:
                raise BrokenPipeError  # like any command whose output is closed: see `main`
    await turns.wait_until_idle(session.id, with_room=True)
    return WORLD_ERROR if printer.has_failed else 0


def _standard_input() -> asyncio.StreamReader:
    """Return a reader that a daemon thread feeds, so that Ctrl-C ends the command without waiting for Enter."""
    reader, loop, file = asyncio.StreamReader(limit=MAX_LINE), asyncio.get_running_loop(), sys.stdin.fileno()

    def feed() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            while chunk := os.read(file, 65_536):
                loop.call_soon_threadsafe(reader.feed_data, chunk)
            loop.call_soon_threadsafe(reader.feed_eof)

    threading.Thread(target=feed, name="standard input", daemon=True).start()
    return reader


async def _send(services: EngineServices, session: Session, text: str, is_forced: bool) -> None:
    """Start a turn with that line. Raises WorldError if a file cannot be attached."""
    turns = services.conversations.turns
    if question := question_in(text):
        await turns.research(session, question)
    else:
        attachments = await attached_in(text, Path.cwd())
        await turns.send(session, text, attachments, TurnOptions(is_forced))


class EventPrinter:
    """Prints events at once: for programs all of them, for people the text and what went wrong."""

    def __init__(self, is_json: bool) -> None:
        self._is_json = is_json
        # Whether the newest turn failed.
        self.has_failed = False
        # False once the output is closed.
        self.has_reader = True

    def print(self, event: TurnEvent) -> None:
        if isinstance(event, TurnFinished):
            self.has_failed = event.reason == "failed"
        if isinstance(event, TurnFailed) and event.failure.setting == f"servers/{SERVER}/key":
            event = replace(event, failure=replace(event.failure, advice=KEY_ADVICE))  # the key is not in the settings
        try:
            self._print(event)
        except BrokenPipeError:
            self.has_reader = False

    def _print(self, event: TurnEvent) -> None:
        if self._is_json:
            for line in lines_of(event):
                show(json.dumps(line))
            return
        match event:
            case TextDelta():
                show(event.text, end="")
            case ToolStarted():
                show_error(f"[{event.call.name} {event.call.arguments}]")
            case TurnFailed():
                print_failure(event.failure)
                if event.failure.kind in ("nearly_full", "spending"):
                    show_error("  With --send-anyway it is sent all the same.")
            case Noticed():
                print_failure(event.notice)
            case MessageRecorded() if event.row.message.ending:
                print_failure(ending_of(event.row.message))
            case TurnFinished():
                show()
            case _:
                pass


def lines_of(event: TurnEvent) -> list[Line]:
    """Return the lines to print for an event; each operation is a separate event, with its figures."""
    match event:
        case MessageRecorded(conversation, row):
            line = _message_line(conversation, row.message, row.index)
            if not row.message.ending:
                return [line]
            notice = msgspec.to_builtins(ending_of(row.message))
            return [line, {"event": "noticed", "conversation": conversation, **notice}]
        case ViewChanged():
            return [_operation_line(event.conversation, row) for row in event.operations]
        case GaugeChanged(conversation, gauge):
            figures = {"total": gauge.total, "usable": gauge.usable, "window": gauge.window, "status": gauge.status}
            return [{"event": "gauge_changed", "conversation": conversation, **figures, "basis": gauge.provenance}]
        case TurnFailed(conversation, failure):
            return [{"event": "turn_failed", "conversation": conversation, **msgspec.to_builtins(failure)}]
        case Noticed(conversation, notice):
            return [{"event": "noticed", "conversation": conversation, **msgspec.to_builtins(notice)}]
        case TurnFinished():
            fields = msgspec.to_builtins(event)
            cost = fields.pop("dollars")
            return [{"event": fields.pop("type"), **fields, "cost": cost}]
        case _:
            fields = msgspec.to_builtins(event)
            return [{"event": fields.pop("type"), **fields}]


def ending_of(reply: Message) -> Failure:
    """Return the notice about a reply that its provider ended early."""
    title, advice = ENDINGS[reply.ending]
    lost = f"It was in the middle of a call of {reply.lost_call}, which was not run." if reply.lost_call else ""
    return Failure(f"reply_{reply.ending}", title, lost, "What had arrived is stored.", advice)


def _message_line(conversation: str, message: Message, index: int) -> Line:
    name = "reply_finished" if message.role is Role.ASSISTANT else "message_recorded"
    line: Line = {"event": name, "conversation": conversation, "index": index, "role": message.role.value}
    line |= {"id": message.id, "text": message.text, "interrupted": message.is_interrupted}
    if message.ending:
        line |= {"ending": message.ending, "lost_call": message.lost_call}
    if message.tool_calls:
        line["tool_calls"] = [msgspec.to_builtins(call) for call in message.tool_calls]
    if (result := message.tool_result) is not None:
        line |= {"name": result.name, "call_id": result.call_id, "is_error": result.is_error, "spill": result.spill}
    if message.usage is not None:
        line["usage"] = msgspec.to_builtins(message.usage)
    if message.continues:
        line["continues"] = message.continues
    return line


def _operation_line(conversation: str, row: OperationRow) -> Line:
    line: Line = {"event": OPERATION_EVENTS.get(row.kind, row.kind), "conversation": conversation, "id": row.id}
    line |= {"trigger": row.trigger, "strategies": row.strategies, "messages": row.messages, "undone": row.is_undone}
    line |= {"tokens_before": row.tokens_before, "tokens_after": row.tokens_after, "seconds": round(row.seconds, 3)}
    return line | {"summary": row.summary, "model": row.model, "note": row.note}


def server_of(model: str, base_url: str | None, window: int | None) -> tuple[str, Server | None]:
    """Return the model's id, and the server that it needs in addition to the settings' servers.

    A kind of provider before the first slash determines the API: "anthropic/claude-sonnet-4-5".
    """
    kind, _, name = model.partition("/")
    is_kind = kind in get_args(ServerKind) and bool(name)
    if base_url is None:
        if not is_kind:
            return model, None
        return model, Server(kind, "", (name,), window or 0, kind=_kind(kind))
    if not base_url.startswith(("http://", "https://")):
        advice = "Give a URL such as http://127.0.0.1:8080/v1."
        raise ModelError(
            Failure("not_found", f"{without_secrets(base_url)} is not the address of a server", advice=advice)
        )
    if not is_kind:
        kind, name = "openai_compatible", model
    return f"{SERVER}/{name}", Server(SERVER, base_url, (name,), window or 0, kind=_kind(kind))


def _kind(name: str) -> ServerKind:
    return next(kind for kind in get_args(ServerKind) if kind == name)
