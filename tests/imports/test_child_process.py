"""What the process that reads other programs' files answers."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import msgspec

from desktop_app.conversation.foreign import (
    ForeignMessage,
    FoundConversation,
    ImportReply,
    ImportRequest,
    ReadConversation,
)
from desktop_app.conversation.foreign_record import conversation_id
from desktop_app.imports.child import main


def replies(path: Path, only: frozenset[str] | None = None) -> list[ImportReply]:
    output = BytesIO()
    main(msgspec.json.encode(ImportRequest((str(path),), only)).decode(), output)
    content, found = output.getvalue(), list[ImportReply]()
    while content:
        end = 4 + int.from_bytes(content[:4], "big")
        found.append(msgspec.msgpack.decode(content[4:end], type=ImportReply))
        content = content[end:]
    return found


def test_half_a_character_is_replaced_and_ends_nothing(tmp_path: Path) -> None:
    cut = [
        {"role": "user", "content": "A frog \ud83d"},
        {"role": "assistant", "content": "\ud83d\udc38", "mood": "\udc38"},
    ]
    (tmp_path / "cut.json").write_text(json.dumps(cut))
    (outline,) = replies(tmp_path)
    assert isinstance(outline, FoundConversation)
    (read,) = replies(tmp_path, frozenset([outline.id]))
    assert isinstance(read, ReadConversation)
    texts = [e.message.text for e in read.conversation.entries if isinstance(e, ForeignMessage)]
    assert texts == ["A frog �", "🐸"]
    assert conversation_id(read.conversation) == outline.id
