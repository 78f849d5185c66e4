from __future__ import annotations

from pathlib import Path

import pytest
from archive_messages import said
from msgspec.structs import replace

from desktop_app.archive.recall_search import RecallSearch
from desktop_app.context.recall.passage_cuts import message_of
from desktop_app.conversation.events import ArchiveError
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.transcript import Pin
from stores import Store

SAID = (
    "[1:56 pm on 8 May, 2023] Hello Anna",
    "the ledger is in billing/models/ledger.py",
    "我们明天把数据库迁移到新的服务器",
    "she was painting the café",
    "call LedgerEntry.post",
    "[9 May, 2023] and the next day, in der Hauptstraße",
)


@pytest.fixture
def spoken(store: Store) -> Store:
    """The conversation "c", with another one's rows, and entries that are no messages, between its own."""
    store.create(ConversationInfo("other", "Another", 1.0, 1.0))
    for number, text in enumerate(SAID):
        store.append("c", said(f"m{number}", text, speaker="Ben"), Pin(id=f"p{number}", message_id=f"m{number}"))
        store.append("other", said(f"o{number}", f"the ledger of another conversation, {text}"))
    return store


HELD = [
    ("ledger", (1,)),
    ("LEDGERS", (1,)),
    ("painted", (3,)),
    ("cafe", (3,)),
    ("Hauptstrasse", (5,)),
    ("hauptstraße", (5,)),
    ("数据", (2,)),
    ("据库", (2,)),
    ("服务器", (2,)),
    ("billing/models/ledger.py", (1,)),
    ("models ledger", (1,)),
    ("ledger billing", ()),
    ("edgerEntr", (4,)),
    ("Ben", (0, 1, 2, 3, 4, 5)),
    ("zebra", ()),
    ('"; DROP TABLE words; --', ()),
    ("* OR ledger", ()),
    ("\0", ()),
    ("\ud800", ()),
    ("%", ()),
    ("", ()),
]


def messages_with(store: Store, terms: list[str], conversation: str = "c") -> dict[str, tuple[int, ...]]:
    """Return the indexes of the messages with each term."""
    held = store.postings(conversation, terms)
    return {term: tuple(dict.fromkeys(map(message_of, passages))) for term, passages in held.items()}


def test_which_messages_of_one_conversation_hold_a_term(spoken: Store) -> None:
    found = [(term, messages_with(spoken, [term])) for term, _ in HELD]
    assert found == [(term, {term: held} if held else {}) for term, held in HELD]


def test_several_terms_at_once_and_no_more_messages_than_wanted(spoken: Store) -> None:
    assert messages_with(spoken, ["the", "ledger", "zebra"]) == {"the": (1, 3, 5), "ledger": (1,)}
    assert {term: len(held) for term, held in spoken.postings("c", ["the", "ledger"], 1).items()} == {
        "the": 1,
        "ledger": 1,
    }
    assert spoken.postings("c", []) == {}


def test_the_outline_tells_who_speaks_when_and_how_long(spoken: Store) -> None:
    outline = spoken.outline("c")
    assert outline.speakers == ("Ben",) * 6
    assert outline.named == {"Ben"}
    assert outline.lengths == tuple(map(len, SAID))
    assert outline.days == ("8 May, 2023", "9 May, 2023")
    assert outline.sessions == (0, 0, 0, 0, 0, 1)
    for number, at in enumerate((951_782_400.0, 1e300, -1.0)):
        spoken.append("other", said(f"x{number}", "without a stamp", at))
    assert spoken.outline("other").days[-2:] == ("2000-02-29", "")


def test_it_grows_with_the_record(spoken: Store) -> None:
    before = spoken.outline("c")
    assert spoken.outline("c") is before  # nothing is read again
    result = ToolResult("c1", "read", "print('ledger')")
    spoken.append("c", replace(said("m6", "", at=90_000.0), parts=(Text("hm"), ToolCall("c1", "read", '{"a": 1}'))))
    spoken.append("c", Message(id="m7", at=90_001.0, role=Role.TOOL, parts=(result,)))
    after = spoken.outline("c")
    assert after.speakers[6:] == ("user", "tool")
    assert after.lengths[6:] == (len("hm") + len('{"a": 1}'), len("print('ledger')"))
    assert after.sessions[6:] == (2, 2)  # a day later
    assert messages_with(spoken, ["ledger"]) == {"ledger": (1, 7)}


def test_a_reader_sees_what_a_writer_appended_meanwhile(spoken: Store, path: Path) -> None:
    reader = Store(path, read_only=True)
    assert len(reader.outline("c").speakers) == 6
    spoken.append("c", said("m6", "one more ledger"))
    assert messages_with(reader, ["ledger"]) == {"ledger": (1, 6)}
    assert len(reader.outline("c").speakers) == 7
    reader.close()


def test_messages_are_read_by_their_places(spoken: Store) -> None:
    assert {index: message.id for index, message in spoken.messages_at("c", [5, 0, 0, 99, -1]).items()} == {
        0: "m0",
        5: "m5",
    }
    assert spoken.messages_at("c", []) == {}
    spoken.append("c", *(said(f"x{number}", "x") for number in range(1_200)))
    assert len(spoken.messages_at("c", list(range(1_206)))) == 1_206


def test_what_is_archived_by_its_places(spoken: Store) -> None:
    assert spoken.archived_indexes("c") == frozenset()
    spoken.append("c", archived=["m0", "m3", "m5"])
    spoken.append("other", archived=["o1"])
    assert spoken.archived_indexes("c") == {0, 3, 5}
    spoken.append("c", restored=["m3"])
    assert spoken.archived_indexes("c") == {0, 5}


def test_a_conversation_that_is_missing_or_deleted_is_told_and_an_empty_one_holds_nothing(spoken: Store) -> None:
    with pytest.raises(ArchiveError, match="no conversation 'zzz'"):
        spoken.outline("zzz")
    spoken.outline("c")
    spoken.change("c", is_deleted=True)
    with pytest.raises(ArchiveError, match="no conversation 'c'"):
        spoken.postings("c", ["ledger"])
    spoken.create(ConversationInfo("empty", "Beside others that are not", 1.0, 1.0))
    assert (spoken.outline("empty").speakers, spoken.postings("empty", ["ledger"])) == ((), {})
    assert spoken.archived_indexes("empty") == frozenset()


def test_a_damaged_message_keeps_its_place(spoken: Store, path: Path, caplog: pytest.LogCaptureFixture) -> None:
    spoken.database.execute_sql("DROP TRIGGER entries_never_change")
    spoken.database.execute_sql("UPDATE entries SET body = '{oops' WHERE id = 'm1'")
    assert spoken.outline("c").lengths[1:3] == (0, len(SAID[2]))
    assert set(spoken.messages_at("c", [0, 1, 2])) == {0, 2}
    assert "message 1 of conversation c cannot be read" in caplog.text


def test_conversations_asked_about_long_ago_are_forgotten(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RecallSearch, "KEPT", 3)
    for number in range(6):
        store.create(ConversationInfo(f"c{number}", "A", 1.0, 1.0), [said(f"i{number}", "the ledger")])
        assert store.postings(f"c{number}", ["ledger"]) == {"ledger": (0,)}
    first = store.outline("c0")
    assert first.speakers == ("user",)
    assert store.outline("c0") is first
