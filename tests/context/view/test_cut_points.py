from __future__ import annotations

from hypothesis import given

from builders import call, model, result, user, view
from conversations_made_up import histories
from desktop_app.context.view.items import Item, Repair, blocks, cut_points
from desktop_app.conversation.message import Message, Reasoning, Role
from desktop_app.conversation.transcript import Pin


def test_a_call_and_its_results_are_one_block() -> None:
    two = model("", call("read", call_id="x"), call("bash", call_id="y"))
    items = list(view(user("a"), two, result("1", "x"), result("2", "y"), user("b")).items)
    assert cut_points(items) == [0, 1, 4, 6], "what was put before the user's word goes with it"
    assert blocks(items) == [range(0, 1), range(1, 4), range(4, 6)]


def test_nothing_has_one_cut_point_and_no_block() -> None:
    assert cut_points([]) == [0]
    assert blocks([]) == []


@given(histories())
def test_whatever_was_said_a_cut_parts_no_pair(messages: list[Message]) -> None:
    items = list(view(*messages).items)
    runs = blocks(items)
    assert [index for run in runs for index in run] == list(range(len(items)))
    for run in runs:
        if items[run.start].message.role is Role.TOOL:
            assert run.start == 0, "a view that begins with a result has no call for it"
        called = sorted(c.call_id for index in run for c in items[index].message.tool_calls)
        results = [items[i].message.tool_result for i in run if items[i].repair is not Repair.ORPHAN_RESULT]
        answered = sorted(result.call_id for result in results if result)
        assert answered == called or run is runs[-1], "only the last block may wait for results"


def test_a_pinned_answer_keeps_its_question() -> None:
    items = list(view(user("q"), model("a"), user("r"), model("b"), Pin(message_id="m3", id="p")).items)
    assert cut_points(items) == [0, 1, 2, 4]


def test_reasoning_that_was_recorded_apart_stays_with_its_calls() -> None:
    thought = model("Let me see.", Reasoning("hm"))
    items = [Item(user("q")), Item(thought), Item(model("", call("bash"))), Item(result("r"))]
    assert cut_points(items) == [0, 1, 4]
