from __future__ import annotations

import sqlite3
from typing import Any

import msgspec
import peewee
import pytest
from archive_messages import said

from builders import model, result
from desktop_app.archive.tables import UnreadableEntry, decode_message, encode
from desktop_app.conversation.events import ArchiveError
from desktop_app.conversation.gauge import Status
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.memory import Fact, Fidelity, Ledger
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role, Text, ToolCall, Usage
from desktop_app.conversation.tools import Rule, ToolSpec
from desktop_app.conversation.transcript import (
    AnyEntry,
    AuxiliaryUsage,
    BringBack,
    Compaction,
    ConversationLink,
    Flush,
    Permit,
    Pin,
    Prune,
    PrunedResult,
    Recalled,
    RequestContext,
    Rewind,
    Trigger,
    Undo,
    Unpin,
)
from stores import Store

EVERY_KIND: tuple[AnyEntry, ...] = (
    model(
        Reasoning("hm"),
        "日本 « » \0 \U0001f600",
        ToolCall("1", "read", '{"path": "a.py"}'),
        Attachment("a.png", "image/png", "data:image/png;base64,AA=="),
        id="m1",
        at=2.0,
        speaker="Ann",
        model="builtin",
        usage=Usage(10, 2, 1),
        seconds=1.5,
    ),
    result("no such file", "1", "read", is_error=True, id="m2", at=3.0),
    Prune(id="e3", at=4.0, trigger=Trigger.BEFORE_REQUEST, results=(PrunedResult("m2", "repeats", "[see above]"),)),
    Compaction(
        id="e4",
        at=5.0,
        trigger=Trigger.USER,
        strategy="extractive",
        archived=("m1", "m2"),
        summary="# What was said",
        ledger=Ledger(rules=(Fact("never push", "m1"),), dropped=2),
        fidelity=Fidelity(1, 2, 3, 4, ("x",)),
        tokens_before=100,
        tokens_after=50,
    ),
    Flush(id="e5", at=6.0, memories=("likes tea",)),
    Pin(id="e6", at=7.0, message_id="m1"),
    Unpin(id="e7", at=8.0, message_id="m1"),
    BringBack(id="e8", at=9.0, message_ids=("m1",)),
    Rewind(id="e9", at=10.0, first_message_id="m2"),
    Undo(id="e10", at=11.0, entry_id="e4"),
    RequestContext(id="e11", at=12.0, tools=(ToolSpec("read", "Reads a file."),), memory="The user's name is Ann."),
    Recalled(id="e12", at=13.0, for_message_id="m1", text="He said four.", message_ids=("m1",)),
    Permit(id="e13", at=14.0, rule=Rule("bash", "git *", is_allowed=False)),
    Flush(
        id="e14", at=15.0, memories=("f-1",), texts=("Likes tea.",), before="m2", model="server/m", usage=Usage(9, 3)
    ),
)


def test_every_kind_of_entry_comes_back_as_it_was_also_after_reopening(store: Store) -> None:
    store.append("c", *EVERY_KIND[:4])
    store.append("c", *EVERY_KIND[4:])
    assert store.entries("c") == EVERY_KIND
    again = Store(store.path, read_only=True)
    assert again.entries("c") == EVERY_KIND
    again.close()


def test_conversations_are_listed_newest_first_with_their_messages_counted(store: Store) -> None:
    store.create(ConversationInfo("d", "Later", 5.0, 5.0, model="builtin"), (said("d1", at=5.0), said("d2", at=6.0)))
    store.append("c", said("m1", at=7.0), Pin(id="p", at=8.0, message_id="m1"))
    assert [(info.id, info.messages, info.updated_at) for info in store.conversations()] == [
        ("c", 1, 8.0),
        ("d", 2, 6.0),
    ]
    store.append("c", said("m2", at=3.0))
    store.store_gauge("c", 0.82, "tight")
    info = store.conversation("c")
    assert (info.share, info.status, info.updated_at) == (0.82, Status.TIGHT, 8.0), "an earlier time changes nothing"
    assert store.conversation("d").model == "builtin"
    store.append("d", AuxiliaryUsage(id="u", at=9.0, purpose="title", model="x"))
    store.append("d", ConversationLink(id="l", at=9.0, conversation="c", title="A conversation"))
    assert store.conversation("d").updated_at == 6.0, "its title came later, and a sequel was begun: nothing was said"


def test_system_prompts_and_what_was_replaced_are_not_counted(store: Store) -> None:
    system = Message(id="s", at=5.0, role=Role.SYSTEM, parts=(Text("Be brief."),))
    store.create(ConversationInfo("d", "Later", 5.0, 5.0), (system, said("d1"), said("d2")))
    store.append("d", said("d3"))
    assert store.conversation("d").messages == 3
    store.store_gauge("d", 0.5, "safe", 2)
    assert store.conversation("d").messages == 2


def test_change_renames_chooses_deletes_and_restores(store: Store) -> None:
    store.create(ConversationInfo("d", "Later", 5.0, 5.0, folder="/work/\udcff"))
    store.change("c", title="New", model="server/m", folder="/home/ann")
    store.change("c", title="Newer")
    found = [(info.title, info.model, info.folder) for info in store.conversations()]
    assert found == [("Later", "", "/work/\ufffd"), ("Newer", "server/m", "/home/ann")]
    store.change("c", folder="")
    assert store.conversation("c").folder == ""
    store.change("d", is_deleted=True)
    store.change("c", is_deleted=True)
    assert store.conversations() == ()
    with pytest.raises(ArchiveError) as caught:
        store.conversation("c")
    assert caught.value.failure.kind == "not_found"
    store.append("c", said("m1"))
    assert [info.title for info in store.list_deleted()] == ["Newer"], "of the other there is nothing to restore"
    store.change("c", is_deleted=False)
    assert [info.id for info in store.conversations()] == ["c"]
    assert store.list_deleted() == ()


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: store.append("nowhere", said("m1")),
        lambda store: store.entries("nowhere"),
        lambda store: store.change("nowhere", title="x"),
        lambda store: store.store_gauge("nowhere", 0.1, "safe"),
        lambda store: store.store_partial("nowhere", said("m1")),
        lambda store: store.conversation("nowhere"),
    ],
)
def test_an_unknown_conversation_is_said_plainly(store: Store, ask) -> None:
    with pytest.raises(ArchiveError, match="no conversation 'nowhere'") as caught:
        ask(store)
    assert caught.value.failure.kind == "not_found"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET body = '{}'",
        "DELETE FROM entries",
        "REPLACE INTO entries SELECT number, conversation, position, message_index, id, kind, at, '{}' FROM entries",
        "DELETE FROM conversations",
    ],
)
def test_what_was_said_can_be_neither_changed_nor_erased(store: Store, statement: str) -> None:
    store.append("c", said("m1"))
    with pytest.raises(peewee.IntegrityError, match=r"append-only|never erased"):
        store.database.execute_sql(statement)
    assert store.entries("c") == (said("m1"),)


def test_an_append_is_stored_whole_or_not_at_all(store: Store) -> None:
    store.append("c", said("m1"))
    with pytest.raises(sqlite3.IntegrityError):  # an id that is used twice is a bug, and surfaces as one
        store.append("c", said("m2", "unheard"), said("m1"))
    assert [entry.id for entry in store.entries("c")] == ["m1"]
    assert store.search("unheard") == ()
    with pytest.raises(sqlite3.IntegrityError):
        store.create(ConversationInfo("d", "Half", 1.0, 1.0), (said("m1"), said("m1")))
    assert [info.id for info in store.conversations()] == ["c"]
    store.append("c")
    store.append("c", said("m2"))
    assert [entry.id for entry in store.entries("c")] == ["m1", "m2"]


def test_a_partial_is_replaced_by_later_ones_and_recovered_as_interrupted(store: Store) -> None:
    store.append("c", said("m1"))
    store.store_partial("c", said("reply", "It is", role=Role.ASSISTANT))
    store.store_partial("c", said("reply", "It is four", role=Role.ASSISTANT))
    assert store.recover_partials() == 1
    recovered = store.entries("c")[1]
    assert recovered == msgspec.structs.replace(said("reply", "It is four", role=Role.ASSISTANT), is_interrupted=True)
    assert store.search("four")[0].message == "reply"
    assert store.recover_partials() == 0
    assert len(store.entries("c")) == 2


def test_a_partial_ends_when_its_reply_is_appended_and_a_late_one_is_not_kept(store: Store) -> None:
    store.store_partial("c", said("reply", "It", role=Role.ASSISTANT))
    store.append("c", said("other"))
    assert store.database.execute_sql("SELECT id FROM partials").fetchall() == [("reply",)]
    store.append("c", said("reply", "It is four", role=Role.ASSISTANT))
    store.store_partial("c", said("reply", "It is", role=Role.ASSISTANT))
    assert store.recover_partials() == 0
    assert [entry.id for entry in store.entries("c")] == ["other", "reply"]


def test_lone_surrogates_become_replacement_characters_and_it_is_logged(store: Store, caplog) -> None:
    store.append("c", said("m1", "a \ud800 b \ud83d\ude00"))
    entry = store.entries("c")[0]
    assert isinstance(entry, Message)
    assert entry.text == "a \ufffd b \U0001f600"
    assert "m1 held lone surrogates" in caplog.text
    assert store.search("b \ud800")[0].message == "m1"
    store.change("c", title="\udfff and so on")
    assert store.conversation("c").title == "\ufffd and so on"


def test_the_metadata_of_a_call_keeps_its_stored_name() -> None:
    call = ToolCall("1", "read", "{}", '{"writer":"m"}')
    body = encode(model(call, id="m", at=1.0))
    assert '"extras":' in body
    assert decode_message(body).tool_calls == (call,)


ODD: list[Any] = [12.5, "12", [3], {"a": 1}, None, float("nan"), object()]
"""Values that msgspec takes for a field of another type, since it looks at types only as it decodes."""


def reply_of(message_id: str, text: Any = "Hello", usage: Any = None, name: Any = "read") -> Message:
    parts = (Text(text), ToolCall("c1", name))
    return Message(id=message_id, at=1.0, role=Role.ASSISTANT, parts=parts, usage=usage)


@pytest.mark.parametrize("value", ODD, ids=lambda value: type(value).__name__)
def test_an_entry_with_a_value_of_another_type_is_refused_and_nothing_of_its_transaction_is_stored(
    store: Store, value: Any
) -> None:
    odd = [reply_of("m", usage=Usage(9, value))]
    if not isinstance(value, str):
        odd += [reply_of("m", text=value), reply_of("m", name=value)]
    odd.append(Message(id="m", role=Role.USER, parts=[Text("x")]))  # type: ignore[arg-type]
    store.append("c", reply_of("before"))
    for entry in odd:
        with pytest.raises(UnreadableEntry):
            store.append("c", reply_of("whole"), entry)
    assert [entry.id for entry in store.entries("c")] == ["before"]


def test_a_partial_reply_that_could_not_be_read_again_does_not_replace_the_one_before(store: Store) -> None:
    store.store_partial("c", reply_of("m", "Hel"))
    with pytest.raises(UnreadableEntry):
        store.store_partial("c", reply_of("m", "Hello", Usage(9, 12.5)))  # type: ignore[arg-type]
    assert store.recover_partials() == 1
    (entry,) = store.entries("c")
    assert isinstance(entry, Message)
    assert entry.text == "Hel"
