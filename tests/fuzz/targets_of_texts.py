"""Texts and lines: what processes tell each other, what is stored, and what models, servers and pages say."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import msgspec
from target_table import changeable_store, target, written

from builders import model
from desktop_app.archive.damage import examine
from desktop_app.archive.tables import decode, encode
from desktop_app.chat.export_content import WHOLE, ExportedPart, content_of
from desktop_app.chat.export_files import FORMATS
from desktop_app.context.memory.flush import parse_notes
from desktop_app.context.presets import describe_policy, faults_of, policy_of
from desktop_app.context.summary.model_summary import page_of
from desktop_app.context.summary.summary_reply import UnusableReply, read_reply
from desktop_app.context.view.view import view_of
from desktop_app.conversation.events import ArchiveError
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, ToolCall, user_message
from desktop_app.conversation.setup import OwnPolicy
from desktop_app.conversation.transcript import Chain, Transcript
from desktop_app.engine import protocol as p
from desktop_app.engine.protocol.lines import decode_request, number_of
from desktop_app.models.errors.classify import classify
from desktop_app.models.tokens.tokenizers import BadGguf, read_metadata
from desktop_app.settings import Server, Settings, SettingsDamaged, merge_settings, read_settings, write_settings
from desktop_app.tools.mcp.schema import SchemaRefused, clean_text, schema_text
from desktop_app.tools.page_child import all_text

# What processes tell each other, and what is stored.


def _request_samples() -> list[bytes]:
    asked: list[Any] = [
        p.Send("c", "Hello"),
        p.ListConversations(),
        p.OpenConversation("c"),
        p.PlanOptimize("c", strategy=""),
    ]
    return [p.encode_line(p.RequestLine(n, each)) for n, each in enumerate(asked)]


@target(_request_samples)
def request_lines(data: bytes) -> None:
    try:
        p.encode_line(decode_request(data))
    except p.ProtocolError:
        number_of(data)


def _line_samples() -> list[bytes]:
    from desktop_app.conversation.events import Failure, TextDelta, TurnFailed

    events = (TextDelta("c", "r", "Hi"), TurnFailed("c", Failure("cut", "A title")))
    info = ConversationInfo("one", "One", 1.0, 1.0, 1, "m")
    return [*(p.encode_line(p.EventLine(each)) for each in events), p.encode_line(p.ConversationsChanged((info,)))]


@target(_line_samples)
def engine_lines(data: bytes) -> None:
    with suppress(p.ProtocolError):
        p.encode_line(p.decode_engine_line(data))


def _settings_samples() -> list[bytes]:
    own = OwnPolicy("mine", "relaxed", {"stream_calls": 9, "prune_order": ["repeats"], "truncate_tools": [["bash", 9]]})
    made = Settings(
        theme="dark", policies=(own,), servers=(Server("a", "http://[::1]/v1", ("b", "c"), 32_768),), folder="/"
    )
    return [msgspec.json.encode(made), msgspec.json.format(msgspec.json.encode(made), indent=2)]


@target(_settings_samples)
def settings_files(data: bytes) -> None:
    path = written("settings.json", data)
    try:
        settings = read_settings(path)
    except SettingsDamaged as damaged:
        settings, copy = damaged.usable, damaged.copy
        assert copy.read_bytes() == data, "the damaged file is kept"
    policies_used(settings)
    write_settings(path, settings)
    again = read_settings(path)
    assert msgspec.json.encode(again) == msgspec.json.encode(settings)
    merge_settings(Settings(), settings, again)


def policies_used(settings: Settings) -> None:
    faults_of(settings.policies)
    for own in settings.policies:
        describe_policy(policy_of(own), settings.policies)


@target(
    lambda: [
        msgspec.json.encode(OwnPolicy("mine", "relaxed", {"stream_calls": 9, "prune_at": 0.5, "cache_seconds": 9}))
    ]
)
def policies(data: bytes) -> None:
    try:
        own = msgspec.json.decode(data, type=OwnPolicy)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    policies_used(Settings(policies=(own,)))


def _entry_samples() -> list[bytes]:
    from desktop_app.conversation.message import ToolResult, Usage
    from desktop_app.conversation.transcript import (
        Compaction,
        Continuation,
        Pin,
        Prune,
        PrunedResult,
        Rewind,
        Trigger,
        Undo,
    )

    call = model("Hi", ToolCall("c", "read", '{"path": "a"}'), id="a", usage=Usage(1, 2))
    result = Message(id="b", role=Role.TOOL, parts=(ToolResult("c", "read", "What it holds"),))
    entries = (
        *(call, result, user_message("Hello"), Pin(message_id="a"), Undo(entry_id="x"), Rewind(first_message_id="b")),
        Compaction(trigger=Trigger.USER, strategy="model", archived=("a",), summary="So far."),
        Prune(trigger=Trigger.USER, results=(PrunedResult("b", "trim", "less"),)),
        Continuation(reply_id="a"),
    )
    return [encode(entry).encode() for entry in entries]


@target(_entry_samples)
def archive_rows(data: bytes) -> None:
    """The payloads of an archive: of an entry, a setup, a draft and a partial reply, as text or as bytes."""
    keeper, stored = changeable_store(), data.decode(errors="replace") if data[:1] != b"\0" else data
    with keeper.database.atomic("IMMEDIATE"):
        for table, column, where in (("entries", "body", "conversation"), ("conversations", "setup", "id")):
            keeper.database.execute_sql(f"UPDATE {table} SET {column} = ? WHERE {where} = 'one'", (stored,))
        keeper.database.execute_sql("INSERT OR REPLACE INTO drafts VALUES ('one', ?)", (stored,))
        keeper.database.execute_sql("INSERT OR REPLACE INTO partials VALUES ('one', 'x', ?)", (stored,))
    with suppress(ArchiveError):
        keeper.conversations(), keeper.setup("one"), keeper.unsent("one"), keeper.record_outline("one")
        keeper.messages("one", [0], 5)
    entries = keeper.entries("one")
    for entry in entries:
        assert decode(encode(entry)) == entry
    view = view_of(Transcript(Chain(entries)))
    for part in (WHOLE, ExportedPart("view")):
        content = content_of("A title", view, part)
        for write in FORMATS.values():
            write(content, lambda: None)
    keeper.read(examine)
    with suppress(ArchiveError):
        keeper.recover_partials()
    with keeper.database.atomic("IMMEDIATE"):  # what was recovered stands there now
        for table in ("facets", "message_texts"):
            keeper.database.execute_sql(f"DELETE FROM {table} WHERE entry > 1")
        keeper.database.execute_sql("DELETE FROM entries WHERE number > 1")


# What models, servers and pages say.

PAGES = (
    b'{"summary": "## So far\\n- The port is 7431.", "turn": "It reads.", "keep": ["m1", "#2"]}',
    "<think>Well.</think>Here is the summary:\n```markdown\n## Goal\nBuild 世界.\n```".encode(),
    b'[{"text": "The user likes tea.", "replaces": "coffee"}, "x"]',
    b"SILENT",
)


@target(lambda: list(PAGES))
def summaries(data: bytes) -> None:
    text = data.decode(errors="surrogateescape")
    read = read_reply(text, {"m1": "a", "m2": "b"})
    if not isinstance(read, UnusableReply):
        page_of(read).encode()
        assert set(read.keep) <= {"a", "b"}
    for note in (*(parse_notes(text) or ()), *(parse_notes("", (ToolCall("c", "save_memory", text),)) or ())):
        assert isinstance(note.text, str)


def _schema_samples() -> list[bytes]:
    place = {"type": "object", "properties": {"x": {"$ref": "#/$defs/Place"}, "y": {"type": "integer"}}}
    schema = {
        "type": "object",
        "properties": {"at": {"$ref": "#/$defs/Place"}},
        "required": ["at"],
        "$defs": {"Place": place},
    }
    return [
        json.dumps(schema).encode(),
        json.dumps({"anyOf": [schema, {"properties": {"b": {}}, "required": ["b"]}]}).encode(),
    ]


@target(_schema_samples)
def mcp_schemas(data: bytes) -> None:
    try:
        schema = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    if isinstance(schema, dict):
        with suppress(SchemaRefused):
            json.loads(schema_text(schema))
    clean_text(str(schema)).encode()


MCP_LINES = (
    b'{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","description":"A","inputSchema":{"type":"object"}}]}}\n',
    b'{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Hi"}],"isError":false}}\n',
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}\n',
    b'{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"no"}}\n',
)


@target(lambda: list(MCP_LINES))
def mcp_lines(data: bytes) -> None:
    from types import SimpleNamespace

    from desktop_app.tools.mcp.pipes import _parse_message

    process: Any = SimpleNamespace(garbage="")
    message = _parse_message(data, process)
    if message is not None:
        message.model_dump_json(by_alias=True)


ERROR_PAGES = (
    b'{"error": {"message": "prompt is too long: 9000 tokens > 8192 maximum", "code": 400, "n_ctx": 5}}',
    b"<html><style>p</style><p>502 Bad Gateway</p></html>",
    b"Rate limit reached: try again in 1h2m3.5s. Limit 30000, Requested 40000 tokens",
    b'{"error": {"message": "{\\"error\\": {\\"code\\": 529, \\"details\\": [{\\"retryDelay\\": \\"7s\\"}]}}"}}',
)


@target(lambda: list(ERROR_PAGES))
def provider_errors(data: bytes) -> None:
    text = data.decode(errors="replace")
    for status in (0, 400, 413, 429, 500):
        found = classify(status, {"retry-after": text[:200], "date": text[-40:]}, text)
        assert found.retry_after is None or found.retry_after == found.retry_after, "not a number"


@target(lambda: [b"<html><title>T</title><p>Hi <a href='/x'>there</a><pre>a\n b</pre><table><tr><td>1</table></html>"])
def pages(data: bytes) -> None:
    all_text(data.decode(errors="replace"))


@target(
    lambda: [
        b"GGUF"
        + (3).to_bytes(4, "little")
        + (0).to_bytes(8, "little")
        + (1).to_bytes(8, "little")
        + b"\1"
        + b"\0" * 7
        + b"a\4\0\0\0\7\0\0\0"
    ]
)
def gguf_files(data: bytes) -> None:
    with suppress(BadGguf, OSError):
        read_metadata(written("model.gguf", data))
