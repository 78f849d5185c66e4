"""Runs of tool calls that take one line, and open on a click."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from transcript_rows import chat, row
from ui_scenes import click, settle, words

from desktop_app.conversation.events import MessageRow
from desktop_app.conversation.message import Role, Text, ToolCall, ToolResult
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.transcript.tool_runs import MIN_CALLS, fold_runs, summary_of_run
from desktop_app.ui.transcript.transcript_items import Item, MessageItem, RunItem, items_of


def rounds(*calls: tuple[str, str], first: int = 1) -> list[MessageRow]:
    """A reply without a text for each call, and the call's result: a tool that is named, and its arguments."""
    rows: list[MessageRow] = []
    for name, arguments in calls:
        index = first + len(rows)
        rows.append(row(index, Role.ASSISTANT, ToolCall("c", name, arguments)))
        rows.append(row(index + 1, Role.TOOL, ToolResult("c", name, "done", name == "broken")))
    return rows


READS = [("read", f'{{"path": "{name}.py"}}') for name in "abcd"]
WORK = [*READS, ("read", '{"path": "a.py"}'), ("bash", '{"command": "ls"}'), ("bash", '{"command": "make"}')]


def worked() -> list[MessageRow]:
    """A question, seven calls, and the answer."""
    return [row(0), *rounds(*WORK), row(15, Role.ASSISTANT, Text("Done."))]


def flattened(items: list[Item]) -> list[Item]:
    return [one for item in items for one in (item.items if isinstance(item, RunItem) else (item,))]


@given(st.lists(st.sampled_from(("ask", "say", "call", "fail")), max_size=30), st.booleans())
def test_nothing_is_left_out_and_only_calls_are_folded(kinds: list[str], is_running: bool) -> None:
    rows: list[MessageRow] = []
    for kind in kinds:
        match kind:
            case "ask":
                rows.append(row(len(rows)))
            case "say":
                rows.append(row(len(rows), Role.ASSISTANT, Text("Look:"), ToolCall("c", "list", "{}")))
            case "call":
                rows += rounds(("read", "{}"), first=len(rows))
            case _:
                rows += rounds(("broken", "not json"), first=len(rows))
    items = items_of(rows, ())
    folded = fold_runs(items, (), is_running)
    assert flattened(folded) == items
    for run in folded:
        if isinstance(run, RunItem):
            assert len(run.results) >= MIN_CALLS
            assert not any(item.row.message.text for item in run.items if item.row.message.role is not Role.TOOL)
            assert summary_of_run(run).startswith(f"{len(run.results)} calls")
    if is_running:
        asked = [n for n, item in enumerate(items) if isinstance(item, MessageItem) and item.row.message.role == "user"]
        kept = items[asked[-1] :] if asked else []
        assert folded[len(folded) - len(kept) :] == kept, "what is being done stays as it is"
    opened = fold_runs(items, {run.key for run in folded if isinstance(run, RunItem)}, is_running)
    assert [item for item in opened if not isinstance(item, RunItem)] == items


def test_a_run_says_what_was_done() -> None:
    _, run, _ = fold_runs(items_of(worked(), ()), ())
    assert isinstance(run, RunItem)
    assert summary_of_run(run) == "7 calls · 4 files read · 2 commands"
    several = [
        ("write", '{"path": "a.py"}'),
        ("grep", "{}"),
        ("web_fetch", '{"url": "https://a.org"}'),
        ("broken", "{}"),
    ]
    (run,) = fold_runs(items_of([*rounds(*several), *chat(1, 20)], ())[:-1], ())
    assert isinstance(run, RunItem)
    assert summary_of_run(run) == "4 calls · 1 file changed · 1 search · 1 page fetched · 1 failed"


def test_a_click_opens_a_run_and_closes_it_again(view, qtbot) -> None:
    view.transcript.open(worked(), ())
    settle(view, qtbot)
    assert view.transcript.rowCount() == 3
    assert "▸ 7 calls · 4 files read · 2 commands" in words(view, "run m1")
    click(view, qtbot, "run m1", Action.FOLD_RUN)
    settle(view, qtbot)
    assert view.transcript.rowCount() == 3 + 14
    click(view, qtbot, "run m1", Action.FOLD_RUN)
    settle(view, qtbot)
    assert view.transcript.rowCount() == 3


def test_a_message_that_is_looked_for_comes_out_of_its_run(view, qtbot) -> None:
    view.transcript.open([*worked(), *chat(40, 16)], ())
    settle(view, qtbot)
    run = view.transcript.row_of("m6")
    assert isinstance(view.transcript.item(run), RunItem)
    assert view.show_message("m6")
    settle(view, qtbot)
    shown = view.transcript.item(view.transcript.row_of("m6"))
    assert isinstance(shown, MessageItem)
    assert shown.row.message.id == "m6"
    assert 0 <= view.top_of("m6") < view.viewport().height()
