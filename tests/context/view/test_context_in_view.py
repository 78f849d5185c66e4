"""Tools and memory in the view: recorded, counted, and the same bytes from request to request."""

from __future__ import annotations

from desktop_app.context.counting.breakdown import gauge_of, request_tokens, tally
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.policy import BALANCED, budget_for
from desktop_app.context.view.view import assemble, view_after, view_of
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.openai_chat import chat_of
from desktop_app.conversation.tools import Rule, ToolSpec
from desktop_app.conversation.transcript import Permit, Recalled, RequestContext, Transcript, Undo
from desktop_app.models.tokens.tokenizers import tokenizer_for

READ = ToolSpec("read", "Reads a file.", '{"type":"object","properties":{"path":{"type":"string"}}}')
INFO = ModelInfo("a/b", "b", 100_000, 4_000)


def said(message_id: str, role: Role, text: str) -> Message:
    return Message(id=message_id, role=role, parts=(Text(text),))


def record(*entries: object) -> Transcript:
    return Transcript().extend(entries)  # type: ignore[arg-type]


SYSTEM = said("s", Role.SYSTEM, "Be brief.")
EQUIPPED = RequestContext(id="e", tools=(READ,), memory="The user's name is Ada.")
BASE = (SYSTEM, EQUIPPED, said("u", Role.USER, "Hello"), said("a", Role.ASSISTANT, "Hi"))


def test_the_memory_stands_in_the_system_prompt_and_the_tools_are_on_offer() -> None:
    view = view_of(record(*BASE))
    messages = assemble(view)
    assert [message.role for message in messages] == [Role.SYSTEM, Role.USER, Role.ASSISTANT]
    assert messages[0].text == "Be brief.\n\nThe user's name is Ada."
    assert view.tools == (READ,)


def test_the_gauge_shows_memory_and_schemas_and_still_sums_to_the_request() -> None:
    view, counts = view_of(record(*BASE)), TokenCounts(tokenizer_for("gpt-4o"))
    gauge = gauge_of(view, tally(view, counts), counts, BALANCED, budget_for(BALANCED, 100_000), INFO)
    assert gauge.segments[Segment.SCHEMAS] > 10
    assert gauge.segments[Segment.MEMORY] > 4
    assert sum(gauge.segments.values()) == gauge.total == request_tokens(view, counts)


def test_the_newest_equipment_holds_and_undoing_it_gives_the_one_before() -> None:
    later = RequestContext(id="e2", memory="The user's name is Grace.")
    changed = record(*BASE, later)
    assert view_of(changed).tools == ()
    assert "Grace" in assemble(view_of(changed))[0].text
    assert assemble(view_of(changed.append(Undo(id="x", entry_id="e2")))) == assemble(view_of(record(*BASE)))


def test_what_was_recalled_stands_before_its_message_and_leaves_what_was_sent_as_it_was() -> None:
    before = record(*BASE)
    new = (
        Permit(id="p", rule=Rule("read")),
        Recalled(id="r", for_message_id="u2", text="[Earlier: the key is under the mat.]"),
        said("u2", Role.USER, "Where is the key?"),
    )
    after = before.extend(new)
    grown, folded = view_after(view_of(before), after), view_of(after)
    assert assemble(grown) == assemble(folded)
    assert assemble(grown)[:3] == assemble(view_of(before))
    assert chat_of(assemble(grown))[3]["content"] == "[Earlier: the key is under the mat.]\n\nWhere is the key?"
    counts = TokenCounts(tokenizer_for("gpt-4o"))
    sums = tally(grown, counts, tally(view_of(before), counts))
    assert sums.total == tally(folded, counts).total == request_tokens(folded, counts)


def test_what_was_recalled_is_there_however_the_entries_came() -> None:
    recalled, message = Recalled(id="r", for_message_id="u2", text="[Earlier]"), said("u2", Role.USER, "And?")
    before = record(*BASE)
    apart = before.append(recalled)
    one_by_one = view_after(view_after(view_of(before), apart), apart.append(message))
    assert assemble(one_by_one) == assemble(view_of(before.extend((recalled, message))))
    late = before.append(message)
    assert assemble(view_after(view_of(late), late.append(recalled))) == assemble(view_of(late.append(recalled)))


def test_recall_behind_a_stopped_tool_call_is_legal() -> None:
    call = Message(id="c", role=Role.ASSISTANT, parts=(ToolCall("k", "read"),))
    result = Message(id="t", role=Role.TOOL, parts=(ToolResult("k", "read", "text"),))
    recalled = Recalled(id="r", for_message_id="u2", text="[Earlier]")
    transcript = record(*BASE, said("u1", Role.USER, "Go"), call, result, recalled, said("u2", Role.USER, "And?"))
    roles = [message.role.value for message in assemble(view_of(transcript))]
    assert roles == ["system", "user", "assistant", "user", "assistant", "tool", "assistant", "user"]
