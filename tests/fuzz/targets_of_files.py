"""Files and their names: what is imported, dropped into the window, attached, written and exported."""

from __future__ import annotations

import asyncio
import io
import json
import os
import sqlite3
import zipfile
from contextlib import closing, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import msgspec
from target_table import SAMPLES, kept, store, target, workplace, written

from desktop_app.chat.export_files import write_export
from desktop_app.chat.ports import WorldError
from desktop_app.context.view.view import assemble, view_of
from desktop_app.conversation.events import ArchiveError
from desktop_app.conversation.foreign import ImportRequest, ReadConversation, UnreadFile
from desktop_app.conversation.foreign_record import conversation_id
from desktop_app.conversation.message import Message, ToolCall
from desktop_app.conversation.tools import ToolContext, ToolOutcome
from desktop_app.conversation.transcript import Chain, Transcript
from desktop_app.engine import protocol as p
from desktop_app.imports.child import replies
from desktop_app.settings import Settings
from desktop_app.tools import attachment_child
from desktop_app.tools.change_files import decode_text
from desktop_app.tools.read_attachments import read_attachment
from desktop_app.tools.registry import ToolRegistry
from desktop_app.tools.spill import SpillFolder

# Other programs' files.


def _imported(path: Path) -> None:
    """Read a file as an import does, and store what is found; nothing of it may be lost or half there."""
    found = list(replies(ImportRequest((str(path),), None)))
    ids = frozenset(each.id for each in found if hasattr(each, "id"))
    for each in replies(ImportRequest((str(path),), ids)):
        if isinstance(each, UnreadFile):
            assert each.reason
        if isinstance(each, ReadConversation):
            with suppress(ArchiveError):
                store().import_conversation(each.conversation, str(path), "")
                name = conversation_id(each.conversation)
                entries = store().entries(name)
                assert sum(isinstance(entry, Message) for entry in entries) >= each.conversation.messages
                assemble(view_of(Transcript(Chain(entries))))
    msgspec.msgpack.encode(found)


def _import_samples() -> list[bytes]:
    return [file.read_bytes() for file in sorted((SAMPLES / "imports").iterdir())]


@target(_import_samples)
def imports(data: bytes) -> None:
    _imported(written("conversations.json", data))
    _imported(written("conversations.jsonl", data))


@target(lambda: [_zipped(sample) for sample in _import_samples()])
def imported_zips(data: bytes) -> None:
    _imported(written("export.zip", data))


def _zipped(content: bytes, name: str = "conversations.json") -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return made.getvalue()


def _database_samples() -> list[bytes]:
    path = workplace() / "sample.db"
    with closing(sqlite3.connect(path)) as database:
        tables = ("session (id, title, time_created)", "message (id, session_id, data)", "part (id, message_id, data)")
        database.executescript(";".join(f"CREATE TABLE IF NOT EXISTS {table}" for table in tables))
        database.execute("INSERT INTO session VALUES ('s', 'Title', 1)")
        database.execute("INSERT INTO message VALUES ('m', 's', ?)", (json.dumps({"role": "user"}),))
        database.execute("INSERT INTO part VALUES ('p', 'm', ?)", (json.dumps({"type": "text", "text": "Hi"}),))
        database.commit()
    return [path.read_bytes()]


@target(_database_samples)
def imported_databases(data: bytes) -> None:
    _imported(written("opencode.db", data))


def _whole_samples() -> list[bytes]:
    from desktop_app.archive.whole_archive import export_whole

    path = workplace() / "whole.zip"
    if not path.exists():
        export_whole(store().path, workplace() / "spills", path)
    return [path.read_bytes()]


@target(_whole_samples)
def whole_archives(data: bytes) -> None:
    before = store().conversations()
    with suppress(ArchiveError):
        store().import_whole(workplace() / "spills", written("whole-bad.zip", data))
        return
    assert store().conversations() == before, "half of it is stored"


# What is dropped into the window, and how it is called.


def _read_child(kind: str, name: str, data: bytes) -> None:
    read = attachment_child.read_image if kind == "image" else partial(attachment_child.read_document, kind)
    with suppress(Exception):  # the child tells of any exception of its libraries
        json.dumps(read(str(written(name, data)))).encode(errors="replace")


@cache
def _drop_samples(kind: str) -> list[bytes]:
    made = io.BytesIO()
    if kind == "image":
        from PIL import Image

        Image.new("RGB", (40, 30), "red").save(made, "PNG")
    elif kind == "docx":
        import docx

        document = docx.Document()
        document.add_paragraph("Hello")
        document.save(made)
    elif kind == "pdf":
        import pypdf

        writer = pypdf.PdfWriter()
        writer.add_blank_page(100, 100)
        writer.write(made)
    else:
        main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        cell = '<row r="1"><c r="A1"><v>1</v></c></row>'
        sheet = f'<worksheet xmlns="{main}"><sheetData>{cell}</sheetData></worksheet>'
        return [_zipped(sheet.encode(), "xl/worksheets/sheet1.xml")]
    return [made.getvalue()]


@target(lambda: _drop_samples("image"))
def images(data: bytes) -> None:
    _read_child("image", "a.png", data)


@target(lambda: _drop_samples("pdf"))
def pdfs(data: bytes) -> None:
    _read_child("pdf", "a.pdf", data)


@target(lambda: _drop_samples("docx"))
def word_files(data: bytes) -> None:
    _read_child("office", "a.docx", data)


@target(lambda: _drop_samples("sheets"))
def sheets(data: bytes) -> None:
    _read_child("office", "a.xlsx", data)


@target(lambda: ["naïve 世界\r\n".encode(), "世界".encode("utf-16"), b"a,b\n1,2\n"])
def dropped_texts(data: bytes) -> None:
    decode_text(data)
    path = written("dropped.txt", data)
    with suppress(WorldError):
        asyncio.run(read_attachment(path))


NAMES = (
    *(b"plain.txt", "naïve 世界.md".encode(), b"a\nb", b"\xff\xfe.txt", "\u202etxt.exe".encode(), b"x" * 255, b"CON"),
    *(b" ", b"-rf", b"a/../b", b"a\x00b", b"~", b"%s{0}", b".." * 9),
)


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    kept.append(closing(loop))
    return loop


@target(lambda: list(NAMES))
def file_names(data: bytes) -> None:
    """A name through the tools that read and write, through an attachment and an export; what is made is removed."""
    name = os.fsdecode(data)
    folder = workplace() / "names"
    folder.mkdir(exist_ok=True)
    with suppress(OSError, ValueError):
        (folder / name.replace("/", "_")).write_text("Hello")
    _loop().run_until_complete(_use_name(name, folder))
    for made in sorted(folder.rglob("*"), reverse=True):
        with suppress(OSError):
            made.rmdir() if made.is_dir() and not made.is_symlink() else made.unlink()


@cache
def _tools() -> ToolRegistry:
    return ToolRegistry((), SpillFolder(workplace() / "tool-spills"), Settings, workplace() / "data")


async def _use_name(name: str, folder: Path) -> None:
    context, tools = ToolContext("one", str(folder)), _tools()
    for tool, more in (("read", {}), ("write", {"content": "new"}), ("edit", {"old": "a", "new": "b"}), ("ls", {})):
        if tool == "write" and not str((folder / name).absolute()).startswith(str(folder)):
            continue
        call = ToolCall("c", tool, json.dumps({"path": name} | more))
        await tools.needs(call, context)
        *_, outcome = [piece async for piece in tools.run(call, context)]
        assert isinstance(outcome, ToolOutcome)
        msgspec.json.encode(p.encode_line(p.EventLine(_finished(call, outcome))))
    with suppress(WorldError):
        await read_attachment(folder / name.replace("/", "_"))
    with suppress(WorldError):
        write_export(folder / f"{name}.md".replace("/", "_"), "text", is_replacing=True)


def _finished(call: ToolCall, outcome: ToolOutcome) -> Any:
    from desktop_app.conversation.events import ToolFinished

    return ToolFinished("one", call.call_id, "m", call.name, outcome.is_error, 0.1, len(outcome.text), "r", 0)
