"""Sessions of goose: `~/.local/share/goose/sessions/sessions.db`; before version 1.10, a `.jsonl` there for each one.

A message is for the user, for the model, or for both. A compaction hides all messages from the model and adds its
summary, which is for the model alone; a prompt that was waiting for it is stored a second time, after the summary. When
goose first makes the database, it copies the older files into it. Later versions also store what they tell the model of
the time and the folder as hidden messages, and the tokens of each request in a table. Based on versions 1.34.0 and
1.52.0, and on the source code of earlier ones.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from msgspec.structs import replace

from desktop_app.conversation.foreign import ForeignCompaction
from desktop_app.conversation.message import Message, Part, Reasoning, Role, Text, ToolCall, ToolResult, Usage
from desktop_app.conversation.words import translatable

from .agent_sessions import AgentSession, lines_of, sibling, usage_of
from .format import Fields, Format, Found, arguments_json, json_in, json_of
from .sources import Source, columns_in, database_in, has_tables, rows_of
from .trees import attachment_at

PROGRAM = "goose"
TABLES = {"sessions": {"id", "working_dir"}, "messages": {"session_id", "role", "content_json", "created_timestamp"}}
HEADS = ({"working_dir", "description", "message_count"}, {"role", "created", "content"})
"""Fields of an older file's first line: its description, or in the oldest ones a message."""
CALLS, RESULT = ("toolRequest", "frontendToolRequest"), "toolResponse"
AT_REQUEST = "at the user's request"
DEFAULT_TITLES = ("CLI Session", "New Chat")


def recognizes(source: Source) -> bool:
    """Return whether the file is the database, or the older file of a session."""
    if source.name.endswith(".jsonl"):
        return any(head <= source.first_keys for head in HEADS)
    return has_tables(source, TABLES)


def read(source: Source) -> Iterator[Found]:
    """Yield the sessions. An older file is not read if the database has its session."""
    if source.name.endswith(".jsonl"):
        if not _is_copied(source):
            yield _of_lines(source)
        return
    with database_in(source) as database:
        order = "rowid" if "created_at" not in columns_in(source)["sessions"] else "created_at, id"
        for row in rows_of(database, f"SELECT * FROM sessions ORDER BY {order}"):
            session, about = AgentSession(PROGRAM, source), Fields(row)
            session.id = about.text("id")
            _describe(session, about)
            messages = rows_of(database, "SELECT * FROM messages WHERE session_id = ? ORDER BY id", session.id)
            _add_all(session, [_message_of(each) for each in messages], _ledger_of(source, database, session.id))
            session.keep("session", about)
            yield session.found()


def _ledger_of(source: Source, database: sqlite3.Connection, name: str) -> list[Usage | None]:
    """Return the measured tokens of each request of a session, without those for summaries; [] if none are stored."""
    if "session_id" not in columns_in(source).get("usage_ledger", ()):
        return []
    rows = map(Fields, rows_of(database, "SELECT * FROM usage_ledger WHERE session_id = ? ORDER BY id", name))
    return [_usage(row) for row in rows if not row.count("is_compaction")]


def _usage(about: Fields) -> Usage | None:
    prompt, reply = about.count("input_tokens", "inputTokens"), about.count("output_tokens", "outputTokens")
    read = about.count("cache_read_tokens", "cacheReadTokens")
    written = about.count("cache_write_tokens", "cacheWriteTokens")
    whole = prompt if prompt >= read + written else prompt + read + written
    return usage_of(whole, reply, read, written, dollars=about.number("cost"))


def _is_copied(source: Source) -> bool:
    database = sibling(source, "sessions.db")
    if database is None or not has_tables(database, TABLES):
        return False
    with database_in(database) as opened:
        return bool(rows_of(opened, "SELECT id FROM sessions WHERE id = ?", _name_of(source)))


def _name_of(source: Source) -> str:
    return source.name.rpartition("/")[2].removesuffix(".jsonl")


def _of_lines(source: Source) -> Found:
    session = AgentSession(PROGRAM, source)
    session.id = _name_of(source)
    messages: list[Fields] = []
    for number, line in lines_of(source, session.unread):
        if number == 1 and "role" not in line:
            _describe(session, line)
            session.keep("session", line)
        else:
            messages.append(line)
    _add_all(session, messages)
    return session.found()


def _describe(session: AgentSession, about: Fields) -> None:
    title = about.text("name", "description")
    session.title = "" if title in DEFAULT_TITLES else title
    session.folder = about.text("working_dir")
    session.created_at, session.updated_at = about.time("created_at"), about.time("updated_at")
    session.model = Fields(json_in(about.peek("model_config_json"))).text("model_name")
    session.is_put_away = bool(about.time("archived_at")) or about.text("session_type") in ("sub_agent", "hidden")


def _message_of(row: dict[str, object]) -> Fields:
    """Return a row in the shape that a line of the older files has."""
    names = {"id": "message_id", "role": "role", "created": "created_timestamp"}
    message = {name: row.get(column) for name, column in names.items()}
    return Fields({**message, "content": json_in(row["content_json"]), "metadata": json_in(row.get("metadata_json"))})


def _usages(messages: Sequence[Fields], ledger: Sequence[Usage | None]) -> dict[int, Usage | None]:
    """Return the measured tokens of the replies, by the position of the first message of each.

    The table names no messages: without a line for each reply, as in a copied session, only some replies have tokens.
    """
    is_reply = [each.text("role") == "assistant" and _is_for(each, "user") for each in messages]
    runs = [list(run) for is_of_model, run in groupby(range(len(messages)), lambda n: is_reply[n]) if is_of_model]
    if len(runs) == len(ledger):
        return {run[0]: usage for run, usage in zip(runs, ledger, strict=True)}
    own = ((run[0], _usage(messages[n].object("metadata").object("usage"))) for run in runs for n in run)
    return {first: usage for first, usage in own if usage}


def _add_all(session: AgentSession, messages: list[Fields], ledger: Sequence[Usage | None] = ()) -> None:
    usages = _usages(messages, ledger)
    names = {each.text("id"): _call_of(each).text("name") for message in messages for each in _blocks(message, CALLS)}
    waiting: object = None
    thoughts: tuple[Part, ...] = ()
    seen: Counter[str] = Counter()
    for number, message in enumerate(messages):
        name = message.text("id") or "message"
        seen[name] += 1
        record = f"{name}#{seen[name]}" if seen[name] > 1 else name  # goose takes a reply's id from the server
        follower = messages[number + 1] if number + 1 < len(messages) else Fields({})
        at, is_hidden = message.time("created"), not _is_for(message, "user")
        if is_hidden and message.text("role") == "assistant":
            pass  # tells the model that a summary precedes it
        elif message.object("metadata").flag("turnContext"):
            session.add(record, (replace(each, speaker=PROGRAM) for each in _messages(session, message, at, names)))
        elif is_hidden and follower.text("role") == "assistant" and not _is_for(follower, "user"):
            is_asked = AT_REQUEST in _text_of(follower)
            kept = (session.end,) if waiting is not None else ()
            compaction = ForeignCompaction(record, session.end, _text_of(message), at, not is_asked, kept=kept)
            session.compact(record, compaction)
        elif message.value("content") == waiting or _is_command(message, follower):
            waiting = None
        else:
            waiting = message.value("content") if is_hidden else None
            added = [*_messages(session, message, at, names, usages.get(number))]
            session.add(record, (_without(each, thoughts) for each in added))
            thoughts = _thoughts_after(added, thoughts)
        message.object("metadata").skip("userVisible", "agentVisible")
        session.keep(record, message)


def _without(message: Message, thoughts: tuple[Part, ...]) -> Message:
    """Return a message without thoughts that an earlier message of the same reply has: each call has a copy of them."""
    return replace(message, parts=tuple(part for part in message.parts if part not in thoughts))


def _thoughts_after(added: Sequence[Message], thoughts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return the thoughts of the last reply, of which results of its calls are no end."""
    for each in added:
        if each.role is Role.ASSISTANT:
            thoughts = (*thoughts, *(part for part in each.parts if isinstance(part, Reasoning)))
        elif each.role is Role.USER:
            thoughts = ()
    return thoughts


def _is_for(message: Fields, reader: str) -> bool:
    return message.object("metadata").value(f"{reader}Visible") is not False


def _is_command(message: Fields, follower: Fields) -> bool:
    """Return whether a message is a command to goose, which it answers itself, such as /compact."""
    is_answered = bool(_blocks(follower, ("systemNotification",)))
    return is_answered and not _is_for(message, "agent") and _text_of(message).startswith("/")


def _blocks(message: Fields, kinds: tuple[str, ...]) -> list[Fields]:
    return [block for block in message.objects("content") if block.text("type") in kinds]


def _text_of(message: Fields) -> str:
    return "\n\n".join(block.text("text") for block in _blocks(message, ("text",)))


def _call_of(block: Fields) -> Fields:
    call = block.object("toolCall")
    call.skip("status")
    return call.object("value")


def _messages(
    session: AgentSession, message: Fields, at: float, names: dict[str, str], usage: Usage | None = None
) -> Iterator[Message]:
    """Yield a message: of the user, of the model, or the results of calls, each as one."""
    is_reply = message.text("role") == "assistant"
    parts = [part for block in message.objects("content") if (part := _part(block))]
    if parts and is_reply:
        yield Message(role=Role.ASSISTANT, parts=tuple(parts), at=at, model=session.model, usage=usage)
    elif parts:
        yield Message(role=Role.USER, parts=tuple(parts), at=at)
    for block in _blocks(message, (RESULT,)):
        call_id = block.text("id")
        yield Message(role=Role.TOOL, parts=tuple(_result(block, call_id, names.get(call_id) or "tool")), at=at)


def _part(block: Fields) -> Part | None:
    match block.text("type"):
        case "thinking" | "reasoning":
            thought = block.text("thinking", "text")
            return Reasoning(thought) if thought else None
        case "toolRequest" | "frontendToolRequest":
            call = _call_of(block)
            name, error = call.text("name") or "tool", block.object("toolCall").text("error")
            arguments = {"error": error} if error else call.value("arguments")
            return ToolCall(block.text("id"), name, arguments_json(arguments))
        case "image":
            return attachment_at(f"data:{block.text('mimeType')};base64,{block.text('data')}")
        case "text" if text := block.text("text"):
            return Text(text)
        case _:
            return None


def _result(block: Fields, call_id: str, name: str) -> Iterable[Part]:
    """Yield a result as the model received it, and its images."""
    result = block.object("toolResult")
    value = result.object("value")
    elements = [each for each in (value or result).objects("content" if value else "value") if _is_for_model(each)]
    error = result.text("error")
    texts = [error, *(text for each in elements if each.text("type") != "image" and (text := _element(each)))]
    is_error = bool(error) or value.flag("isError")
    result.skip("status")
    value.skip("structuredContent")
    yield ToolResult(call_id, name, "\n\n".join(filter(None, texts)), is_error)
    yield from (part for each in elements if each.text("type") == "image" and (part := _part(each)))


def _is_for_model(element: Fields) -> bool:
    audience = element.object("annotations").peek("audience")
    return not isinstance(audience, list) or "assistant" in audience


def _element(element: Fields) -> str:
    text = element.text("text") or element.object("resource").text("text")
    return text or json_of(element.rest())


FORMAT = Format(
    PROGRAM,
    translatable("the folder ~/.local/share/goose/sessions, or sessions.db in it"),
    recognizes,
    read,
    homes=(".local/share/goose/sessions",),
)
