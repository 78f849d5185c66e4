"""The figures of a conversation's life, held against the record that they are of."""

from __future__ import annotations

from made_by_hand import letters, model, record, user
from msgspec.structs import replace

from desktop_app.context.counting.totals import usage_totals_of
from desktop_app.context.insights import combine, insights_of
from desktop_app.conversation.facts import Fidelity
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.message import Usage
from desktop_app.conversation.transcript import (
    AnyEntry,
    AuxiliaryUsage,
    Compaction,
    Flush,
    Prune,
    Rewind,
    Transcript,
    Trigger,
    Undo,
)


def compaction(**fields: object) -> Compaction:
    usual = {"trigger": Trigger.USER, "strategy": "llm", "archived": ("m0",), "summary": "…", "at": 5.0}
    return Compaction(**(usual | fields))  # type: ignore[arg-type]


def answer(prompt: int, reply: int, name: str = "one/big") -> AnyEntry:
    return replace(model("Fine."), model=name, usage=Usage(prompt, reply, dollars=0.5))


def of(*entries: AnyEntry) -> Transcript:
    return Transcript().extend(tuple(record(*entries).entries))


def test_the_series_is_what_was_reported_and_grows_by_what_was_not() -> None:
    counts, unreported, again = letters(), model("Yes. " * 40), model("Once more.")
    transcript = of(user("Hello?"), answer(100, 20), user("And?"), unreported, Rewind(first_message_id="m3"), again)
    sizes = [moment.tokens for moment in insights_of(transcript, counts).moments]
    assert sizes[:2] == [120, 120 + counts.total(user("And?")) + counts.total(unreported)]
    said = (user("Hello?"), model("Fine."), user("And?"), again)
    assert sizes[2] == sum(map(counts.total, said)), "the branch has nothing of what was replaced"
    assert [moment.is_measured for moment in insights_of(transcript, counts).moments] == [True, False, False]


def test_operations_free_tokens_until_they_are_undone() -> None:
    counts = letters()
    prune = Prune(trigger=Trigger.AFTER_TURN, tokens_before=400, tokens_after=300)
    made = compaction(id="c1", tokens_before=300, tokens_after=100, seconds=2.0, note="", fidelity=Fidelity(3, 4, 2, 1))
    transcript = of(user("Hello?"), answer(380, 20), prune, made, user("?"), model("A"))
    insights = insights_of(transcript, counts)
    assert (insights.freed("prune"), insights.freed("compaction")) == (100, 200)
    assert insights.moments[-1].tokens == 100 + counts.total(user("?")) + counts.total(model("A"))
    assert (insights.fidelity.verbatim, insights.fidelity.total) == (3, 10)
    undone = insights_of(transcript.append(Undo(entry_id="c1", id="u1")), counts)
    assert (undone.freed("compaction"), undone.fidelity.total) == (0, 0)
    assert [one.is_undone for one in undone.operations] == [False, True]


def test_what_it_took_is_told_by_model_and_purpose_and_sums_to_the_totals() -> None:
    made = compaction(model="two/small", usage=Usage(900, 90, dollars=0.1))
    title = AuxiliaryUsage(purpose="title", model="two/small")
    flush = Flush(memories=(), model="one/big", usage=Usage(50, 5))
    transcript = of(user("Hello?"), answer(100, 20), user("?"), answer(200, 30), made, title, flush)
    insights = insights_of(transcript, letters())
    assert [(part.model, part.purpose, part.usage.requests) for part in insights.usage] == [
        ("two/small", "summary", 1),
        ("one/big", "chat", 2),
        ("one/big", "memory", 1),
        ("two/small", "title", 1),
    ]
    replies, auxiliary = usage_totals_of(transcript.entries)
    assert sum(part.usage.prompt_tokens for part in insights.usage) == replies.prompt_tokens + auxiliary.prompt_tokens
    assert sum(part.usage.dollars or 0 for part in insights.usage) == (replies.dollars or 0) + (auxiliary.dollars or 0)


def test_several_conversations_are_summed() -> None:
    counts = letters()
    one = insights_of(of(user("Hello?"), answer(100, 20), compaction(tokens_before=50, tokens_after=20)), counts)
    other = insights_of(of(user("Hi?"), answer(10, 2, "two/small"), compaction(at=2.0)), counts)
    both = combine([one, other])
    assert both.conversations == 2
    assert both.said[Segment.USER] == one.said[Segment.USER] + other.said[Segment.USER]
    assert [part.model for part in both.usage] == ["one/big", "two/small"]
    assert [moment.at for moment in both.operations] == sorted(moment.at for moment in both.operations)
    assert both.freed("compaction") == 30
    assert combine([]).usage == ()
