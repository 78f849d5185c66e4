"""Sessions of opencode: the files of its folder `storage`, its later database, or `opencode export`.

Until the beginning of 2026 each session, message and part is a JSON file: session/PROJECT/SESSION.json,
message/SESSION/MESSAGE.json and part/MESSAGE/PART.json; before September 2025 below project/NAME/storage/session as
info/SESSION.json, message/SESSION/MESSAGE.json and part/SESSION/MESSAGE/PART.json. Then the same objects are in the
tables session, message and part of opencode.db. Seen in the source code of all three, and in files of versions to 1.3.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator

from desktop_app.conversation.foreign import ForeignConversation, UnreadFile
from desktop_app.conversation.words import translatable

from .databases import SQLITE, database_in
from .fields import Fields, rest_json
from .format import Format, Found
from .opencode_messages import Said
from .reasons import NOT_JSON, without_messages
from .sources import BadFile, Source

PROGRAM = "opencode"
ONE_PART = translatable("it is one part of a session: give the whole folder of opencode")
PARTS_TABLE = re.compile(rb"CREATE TABLE [`\"']?part[`\"']?\s*\([^)]*message_id", re.DOTALL)
EXPORTED = {"info", "messages"}
SESSION = {"id", "version", "title", "time"}
MESSAGES = {"id", "sessionID", "time", "role"}
PARTS = {"id", "sessionID", "messageID", "type"}

Messages = Iterator[tuple[Fields, list[Fields]]]


def recognizes(source: Source) -> bool:
    """Return whether it is a session, a message or a part of one, an exported session, or the database."""
    if source.beginning.startswith(SQLITE):
        return PARTS_TABLE.search(source.beginning) is not None
    keys = source.first_keys
    return any(each <= keys for each in (EXPORTED, SESSION, MESSAGES, PARTS))


def read(source: Source) -> Iterator[Found]:
    """Return the sessions. A message or a part is read with the session that it belongs to."""
    if source.beginning.startswith(SQLITE):
        yield from _of_database(source)
    elif source.first_keys.issuperset(EXPORTED):
        whole = Fields(_json(source))
        messages = ((each.object("info"), each.objects("parts")) for each in whole.objects("messages"))
        yield _conversation(source, whole.object("info"), messages, [])
    elif source.first_keys.issuperset(SESSION):
        unread: list[str] = []
        session = Fields(_json(source))
        yield _conversation(source, session, _messages_beside(source, session, unread.append), unread)
    elif "/" not in source.name:
        yield UnreadFile(source.name, ONE_PART)


def _json(source: Source) -> object:
    try:
        return json.loads(source.read())
    except (ValueError, RecursionError) as error:
        raise BadFile(NOT_JSON) from error


def _messages_beside(source: Source, session: Fields, report: Callable[[str], None]) -> Messages:
    """Yield the messages with their parts that lie beside the file of a session, and report those that are damaged."""
    above, _, name = source.name.rpartition("/")
    root, _, kind = above.rpartition("/")
    session_id = session.text("id") or name.removesuffix(".json")
    is_older = kind == "info"
    base = f"{root}/" if is_older else f"{root.rpartition('/')[0]}/".removeprefix("/")
    for message in _objects(source, f"{base}message/{session_id}", report):
        message_id = message.text("id")
        below = f"part/{session_id}/{message_id}" if is_older else f"part/{message_id}"
        yield message, _objects(source, base + below, report)


def _objects(source: Source, folder: str, report: Callable[[str], None]) -> list[Fields]:
    found: list[Fields] = []
    for each in source.folder.directly_in(folder):
        try:
            found.append(Fields(_json(each)))
        except BadFile as error:
            report(translatable("{file} cannot be read: {problem}").format(file=each.name, problem=error.reason))
    return found


def _of_database(source: Source) -> Iterator[Found]:
    with database_in(source) as database:
        for row in _rows(database, "SELECT * FROM session ORDER BY time_created, id"):
            unread: list[str] = []
            session = _session_of(row)
            yield _conversation(source, session, _messages_in(database, session.text("id"), unread.append), unread)


def _rows(database: sqlite3.Connection, query: str, *values: str) -> list[sqlite3.Row]:
    try:
        return database.execute(query, values).fetchall()
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter for the names of columns
        raise BadFile(translatable("it is a damaged database ({error})").format(error=error)) from error


def _session_of(row: sqlite3.Row) -> Fields:
    """Return a session as the files have it: there its columns are within objects."""
    columns = {name: row[name] for name in row.keys()}  # noqa: SIM118 (a row's elements are its values)
    times = {name: columns.pop(f"time_{name}", None) for name in ("created", "updated", "archived")}
    if isinstance(revert := columns.pop("revert", None), str):
        columns["revert"] = _object_in(revert)
    return Fields({name: value for name, value in columns.items() if not isinstance(value, bytes)} | {"time": times})


def _messages_in(database: sqlite3.Connection, session: str, report: Callable[[str], None]) -> Messages:
    messages = "SELECT CAST(id AS TEXT) AS id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
    parts = "SELECT CAST(id AS TEXT) AS id, data FROM part WHERE message_id = ? ORDER BY id"
    for row in _rows(database, messages, session):
        yield _object_of(row, report), [_object_of(each, report) for each in _rows(database, parts, row["id"])]


def _object_of(row: sqlite3.Row, report: Callable[[str], None]) -> Fields:
    """Return the object of a row, with its id, which stands beside it."""
    value = _object_in(row["data"])
    if value is None:
        report(f"{row['id']}: this is not JSON")
    return Fields((value or {}) | {"id": row["id"]})


def _object_in(text: object) -> dict[str, object] | None:
    try:
        value = json.loads(text) if isinstance(text, str | bytes) else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _conversation(source: Source, session: Fields, messages: Messages, unread: list[str]) -> Found:
    said = Said()
    in_order = sorted(messages, key=lambda each: (each[0].object("time").time("created"), each[0].text("id")))
    for message, parts in in_order:
        said.add(message, parts)
    title = session.text("title")
    if not said.entries:
        return UnreadFile(source.name, without_messages(unread), title)
    times = session.object("time")
    taken_back = session.object("revert").text("messageID")
    created_at, updated_at, put_away_at = times.time("created"), times.time("updated"), times.time("archived")
    folder = session.text("directory") or said.folder
    foreign_id = session.text("id") or source.name.rpartition("/")[2].removesuffix(".json")
    rest = {"session": session.rest(), "messages": said.rests}
    return ForeignConversation(
        PROGRAM,
        foreign_id,
        title,
        tuple(said.entries),
        created_at=created_at or source.modified,
        updated_at=updated_at,
        current=said.starts.get(taken_back, ""),
        model=said.model,
        folder=folder,
        is_put_away=bool(put_away_at),
        rest=rest_json({name: value for name, value in rest.items() if value}),
        unread=tuple(unread),
    )


FORMAT = Format(
    PROGRAM,
    translatable("the folder ~/.local/share/opencode, opencode.db in it, or the output of opencode export"),
    recognizes,
    read,
    homes=(".local/share/opencode",),
)
