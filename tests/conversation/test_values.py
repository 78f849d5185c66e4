from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from builders import model, result, user
from desktop_app.conversation.gauge import Gauge, Segment, Status
from desktop_app.conversation.message import (
    Attachment,
    Reasoning,
    ToolCall,
    Usage,
    user_message,
)
from desktop_app.conversation.tools import Rule, ToolSpec
from desktop_app.conversation.transcript import (
    AnyEntry,
    AuxiliaryUsage,
    BringBack,
    Compaction,
    Continuation,
    ConversationLink,
    FailedCompaction,
    Flush,
    Imported,
    Permit,
    Pin,
    Prune,
    PrunedResult,
    Recalled,
    RequestContext,
    Rewind,
    StandingSummary,
    Switch,
    Transcript,
    Trigger,
    Undo,
    Unpin,
    replace_surrogates,
)

REPLY = model(
    Reasoning("hm"),
    "One.",
    ToolCall("c1", "read", '{"path": "a.py"}'),
    ToolCall("c2", "bash"),
    "Two.",
    id="r",
    at=12.5,
    model="m",
    usage=Usage(10, 2, 5),
)


def test_the_visible_text_is_that_of_text_and_results() -> None:
    assert REPLY.text == "One.\n\nTwo."
    assert result("done").text == "done"
    assert user("", Attachment("a.txt", "text/plain", "x")).text == ""


ENTRIES: list[AnyEntry] = [
    REPLY,
    Prune(id="p", trigger=Trigger.USER, results=(PrunedResult("t", "soft_trim", "short"),), tokens_before=9),
    Compaction(
        id="c",
        trigger=Trigger.OVERFLOW,
        strategy="llm",
        archived=("a", "b"),
        summary="## x",
        usage=Usage(9, 2, 1),
        note="Because.",
    ),
    StandingSummary(
        id="a", message_ids=("m", "n"), summary="# What was said", follows="c", model="m/m", usage=Usage(9, 1)
    ),
    FailedCompaction(
        id="x", trigger=Trigger.BEFORE_REQUEST, cause="error", detail="No network.", tokens=9, seconds=0.5
    ),
    Flush(id="f", memories=("likes tea",)),
    AuxiliaryUsage(id="e", purpose="title", model="server/m", usage=Usage(10, 2)),
    RequestContext(
        id="q",
        tools=(ToolSpec("read", "Reads a file.", "{}", "server"),),
        memory="- likes tea",
        instructions="Be kind.",
        project="p",
    ),
    Recalled(id="l", for_message_id="a", text="#3 user: tea", message_ids=("b",)),
    Permit(id="t", rule=Rule("bash", "git *", False)),
    ConversationLink(id="k", conversation="other", title="Tea", is_back=True),
    Imported(id="i", program="ChatGPT", source_id="c1", file="a.zip", rest='{"x":1}'),
    Pin(id="n", message_id="a"),
    Unpin(id="u", message_id="a"),
    BringBack(id="b", message_ids=("a",)),
    Rewind(id="w", first_message_id="a"),
    Switch(id="s", branch="w"),
    Continuation(id="g", reply_id="r", lost_call="bash"),
    Undo(id="o", entry_id="c"),
]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: type(entry).__name__)
def test_every_entry_comes_back_from_its_json(entry: AnyEntry) -> None:
    assert msgspec.json.decode(msgspec.json.encode(entry), type=AnyEntry) == entry


def test_every_kind_of_entry_is_among_them() -> None:
    assert {type(entry) for entry in ENTRIES} == set(get_args(AnyEntry))


@pytest.mark.parametrize("broken", [b'{"type": "wish"}', b'{"type": "pin"}', b'{"type": "message", "role": "chief"}'])
def test_what_is_no_entry_is_refused(broken: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(broken, type=AnyEntry)


def test_a_record_grows_and_its_entries_are_found() -> None:
    record = Transcript().append(REPLY)
    grown = record.extend((Pin(id="n", message_id="r"), Undo(id="o", entry_id="n")))
    assert [len(record.entries), len(grown.entries)] == [1, 3]
    assert grown.entry("r") is REPLY
    assert grown.entry("nobody") is None


def read(row: bytes) -> AnyEntry:
    return msgspec.json.decode(row, type=AnyEntry)


def test_rows_of_earlier_versions_are_read() -> None:
    old = read(
        b'{"type":"compaction","id":"c1","at":1.0,"trigger":"user","strategy":"extractive","archived":["m1","m2"],'
        b'"summary":"S","ledger":{},"fidelity":{},"tokens_before":100,"tokens_after":40,"seconds":0.5,"model":""}'
    )
    assert isinstance(old, Compaction)
    assert (old.usage, old.note, old.archived) == (None, "", ("m1", "m2"))
    prune = read(
        b'{"type":"prune","id":"p","trigger":"user",'
        b'"inputs":[{"message_id":"m","place":2,"strategy":"x","arguments":"{}"}]}'
    )
    assert isinstance(prune, Prune)
    assert prune.inputs[0].index == 2
    assert isinstance(read(b'{"type":"equipment","tools":[],"memory":"tea"}'), RequestContext)
    assert isinstance(read(b'{"type":"upkeep","purpose":"title","model":"m"}'), AuxiliaryUsage)
    assert isinstance(read(b'{"type":"link","conversation":"c","title":"T"}'), ConversationLink)


def test_a_lone_surrogate_becomes_a_sign_and_nothing_else_changes() -> None:
    sound = user_message("a \U0001f642 b")
    assert replace_surrogates(sound) is sound
    assert replace_surrogates(user_message("a \ud800 b \ud83d\ude42")) == user_message("a \ufffd b \U0001f642")


def gauge(total: int, window: int = 1_000, reserve: int = 200) -> Gauge:
    return Gauge({Segment.USER: total}, total, window, reserve, Status.SAFE)


@pytest.mark.parametrize(
    ("shown", "usable", "share", "free"),
    [
        (gauge(0), 800, 0.0, 800),
        (gauge(400), 800, 0.5, 400),
        (gauge(1_200), 800, 1.5, 0),
        (gauge(5, window=100, reserve=100), 0, 1.0, 0),
    ],
)
def test_usable_share_and_free_follow_from_the_figures(shown: Gauge, usable: int, share: float, free: int) -> None:
    assert (shown.usable, shown.share, shown.free) == (usable, share, free)
    assert msgspec.json.decode(msgspec.json.encode(shown), type=Gauge) == shown
