"""Tools and memory in the view: recorded, counted, and the same bytes from request to request."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from builders import call, gauge, letters, model, record, result, system, user
from desktop_app.context.counting.breakdown import request_tokens, tally
from desktop_app.context.view.items import INSTRUCTIONS_HEADING
from desktop_app.context.view.view import assemble, count_repairs, view_after, view_of
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.tools import Rule, ToolSpec
from desktop_app.conversation.transcript import AnyEntry, Permit, Recalled, RequestContext, Undo

READ = ToolSpec("read", "Reads a file.", '{"type":"object","properties":{"path":{"type":"string"}}}')
EQUIPPED = RequestContext(id="e", tools=(READ,), memory="The user's name is Ada.")
BASE = record(system("Be brief."), EQUIPPED, user("Hello"), model("Hi"))
RECALLED = Recalled(id="r", for_message_id="u", text="[Earlier: the key is under the mat.]")
ASKED = replace(user("Where is the key?"), id="u")


def test_the_memory_stands_in_the_system_prompt_and_the_gauge_shows_it_and_the_schemas() -> None:
    view, counts = view_of(BASE), letters()
    assert [message.text for message in assemble(view)] == ["Be brief.\n\nThe user's name is Ada.", "Hello", "Hi"]
    assert view.tools == (READ,)
    told = gauge(view, counts)
    assert told.segments[Segment.SCHEMAS] > 10
    assert told.segments[Segment.MEMORY] > 4
    assert sum(told.segments.values()) == told.total == request_tokens(view, counts)


def test_the_instructions_of_the_project_stand_between_the_system_prompt_and_the_memory() -> None:
    context, counts = replace(EQUIPPED, instructions="Answer in French.", project="p"), letters()
    view = view_of(record(system("Be brief."), context, user("Hello"), model("Hi")))
    labelled = f"{INSTRUCTIONS_HEADING}\n\nAnswer in French."
    assert assemble(view)[0].text == f"Be brief.\n\n{labelled}\n\nThe user's name is Ada."
    assert not count_repairs(view)
    told, before = gauge(view, counts), gauge(view_of(BASE), counts)
    sizes = [one.segments[Segment.SYSTEM] + one.segments[Segment.FRAME] for one in (told, before)]
    assert sizes[0] - sizes[1] == told.total - before.total > 10
    assert told.segments[Segment.MEMORY] == before.segments[Segment.MEMORY]
    alone = view_of(record(replace(context, memory=""), user("Hello")))
    assert assemble(alone)[0].text == labelled


def test_undoing_the_newest_context_gives_the_one_before() -> None:
    changed = BASE.append(RequestContext(id="e2", memory="The user's name is Grace."))
    assert view_of(changed).tools == ()
    assert "Grace" in assemble(view_of(changed))[0].text
    assert assemble(view_of(changed.append(Undo(id="x", entry_id="e2")))) == assemble(view_of(BASE))


@pytest.mark.parametrize(
    "steps",
    [[(Permit(id="p", rule=Rule("read")), RECALLED, ASKED)], [(RECALLED,), (ASKED,)], [(ASKED,), (RECALLED,)]],
    ids=["at once", "one by one", "late"],
)
def test_what_was_recalled_stands_before_its_message(steps: list[tuple[AnyEntry, ...]]) -> None:
    transcript, view, counts = BASE, view_of(BASE), letters()
    sums = tally(view, counts)
    for entries in steps:
        transcript = transcript.extend(entries)
        view = view_after(view, transcript)
        sums = tally(view, counts, sums)
    assert assemble(view) == assemble(view_of(transcript))
    assert assemble(view)[:3] == assemble(view_of(BASE)), "what was sent stays as it was"
    assert assemble(view)[3].text == f"{RECALLED.text}\n\nWhere is the key?"
    assert sums.total == tally(view_of(transcript), counts).total == request_tokens(view, counts)


def test_recall_behind_a_stopped_tool_call_is_legal() -> None:
    transcript = BASE.extend((user("Go"), model("", call("read")), result("text"), RECALLED, ASKED))
    roles = [message.role.value for message in assemble(view_of(transcript))]
    assert roles == ["system", "user", "assistant", "user", "assistant", "tool", "assistant", "user"]
