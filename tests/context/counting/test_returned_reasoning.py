"""Reasoning that goes back with calls: the gauge is of the request as it is sent."""

from __future__ import annotations

import pytest

from builders import MODEL, gauge, model, record, result, user
from conversations_made_up import Letters
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.calibration import AS_COUNTED
from desktop_app.context.counting.reports import calibration_of
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.view.dialect import BLANK, reasoning_to_return
from desktop_app.context.view.view import view_of
from desktop_app.conversation.gauge import Gauge, Provenance
from desktop_app.conversation.listing import Dialect, ReturnedReasoning
from desktop_app.conversation.message import Message, Part, Reasoning, Role, Text, ToolCall, Usage
from desktop_app.conversation.transcript import AnyEntry

THOUGHT = "Let me think about the ledger. " * 60
CALL = ToolCall("c", "read", '{"path": "a"}')


def counts_of(kind: ReturnedReasoning) -> TokenCounts:
    return TokenCounts(Letters(), Dialect(MODEL.record_name, returned_reasoning=kind))


def told(entries: list[AnyEntry], counts: TokenCounts) -> Gauge:
    shown = view_of(record(*entries))
    start = calibration_of(record(*entries), shown, counts, MODEL.record_name, AS_COUNTED)
    return gauge(shown, counts, start)


def reply(entries: list[AnyEntry], counts: TokenCounts, *parts: Part, hidden: int = 0) -> Message:
    """A reply that a server which counts as we do reports: its thoughts are a part of it."""
    thought = sum(Letters().count(part.text) for part in parts if isinstance(part, Reasoning))
    message = Message(role=Role.ASSISTANT, parts=parts, model=MODEL.record_name)
    own = TokenCounts(Letters()).total(message) - Letters().overhead.around(Role.ASSISTANT)
    prompt = request_tokens(view_of(record(*entries)), counts)
    usage = Usage(prompt, own + thought + hidden, reasoning_tokens=hidden)
    return Message(role=Role.ASSISTANT, parts=parts, model=MODEL.record_name, usage=usage)


@pytest.mark.parametrize("kind", ["", "running", "always"])
def test_a_measured_gauge_is_what_the_server_reports_next(kind: ReturnedReasoning) -> None:
    counts, entries = counts_of(kind), list[AnyEntry]()
    for turn in range(3):
        entries.append(user(f"Question {turn} " + "word " * 400))
        for parts in ((Reasoning(THOUGHT), CALL), (Reasoning(THOUGHT * 2), Text("So."), CALL), (Text("Done."),)):
            if turn:
                shown = told(entries, counts)
                assert shown.provenance is Provenance.MEASURED
                assert shown.total == request_tokens(view_of(record(*entries)), counts)
                assert sum(shown.segments.values()) == shown.total
            entries.append(reply(entries, counts, *parts))
            if CALL in parts:
                entries.append(result("nothing " * 30))


def test_thoughts_that_nobody_sees_are_not_sent_again() -> None:
    counts, entries = counts_of(""), list[AnyEntry]()
    for turn in range(3):
        entries.append(user(f"Question {turn} " + "word " * 400))
        shown = told(entries, counts)
        assert shown.total == request_tokens(view_of(record(*entries)), counts)
        assert (shown.provenance is Provenance.MEASURED) == (turn > 0)
        entries.append(reply(entries, counts, Text("Yes. " * 40), hidden=500))


def test_of_turns_that_are_over_at_most_a_blank_goes_back() -> None:
    old = model(Reasoning("Old."), CALL)
    new = model(Reasoning("New."), CALL)
    said = [user("One"), old, result("1"), user("Two"), new, result("2")]
    assert reasoning_to_return(said, Dialect(returned_reasoning="running")) == ["", "", "", "", "New.", ""]
    assert reasoning_to_return(said, Dialect(returned_reasoning="always")) == ["", BLANK, "", "", "New.", ""]
    assert reasoning_to_return(said, Dialect(returned_reasoning="")) == [""] * 6
    assert reasoning_to_return([*said, user("Three")], Dialect(returned_reasoning="running")) == [""] * 7
