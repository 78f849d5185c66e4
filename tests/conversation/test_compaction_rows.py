"""Compactions that earlier versions stored are read as they were."""

from __future__ import annotations

import msgspec

from desktop_app.conversation.message import Usage
from desktop_app.conversation.transcript import AnyEntry, Compaction, Trigger

OLD = b"""{"type":"compaction","id":"c1","at":1.0,"trigger":"user","strategy":"extractive","archived":["m1","m2"],
"summary":"What was said.","ledger":{},"fidelity":{},"tokens_before":100,"tokens_after":40,"seconds":0.5,"model":""}"""


def test_a_row_without_usage_and_note_is_read() -> None:
    entry = msgspec.json.decode(OLD, type=AnyEntry)
    assert isinstance(entry, Compaction)
    assert (entry.usage, entry.note) == (None, "")
    assert entry.archived == ("m1", "m2")


def test_what_a_summary_cost_and_why_it_is_as_it_is_are_kept() -> None:
    entry = Compaction(
        trigger=Trigger.USER, strategy="llm", archived=("m1",), summary="A.", usage=Usage(9, 2, 1), note="Because."
    )
    assert msgspec.json.decode(msgspec.json.encode(entry), type=AnyEntry) == entry
