"""The figures of the page of insights, each against another way to it."""

from __future__ import annotations

import asyncio
import csv
from pathlib import Path

import pytest
from desk import Desk

from desktop_app.chat.ports import WorldError
from desktop_app.chat.read_insights import csv_of
from desktop_app.chat.tasks import TaskKey
from desktop_app.context.truncate import truncate_result
from desktop_app.conversation.insights import Insights, UsageOf
from desktop_app.conversation.memory import Fidelity
from desktop_app.conversation.message import Message, Role, Text, ToolResult, Usage, user_message
from desktop_app.conversation.setup import Project
from desktop_app.conversation.transcript import AnyEntry, AuxiliaryUsage, Compaction, Prune, PrunedResult, Trigger
from desktop_app.engine import protocol as p

DAY = 86_400.0
NOON = 1_760_000_000.0


def reply(name: str, at: float, prompt: int) -> Message:
    usage = Usage(prompt, 20, cached_tokens=prompt // 2, dollars=0.25)
    return Message(id=name, at=at, role=Role.ASSISTANT, model="far/big", parts=(Text("Fine."),), usage=usage)


def life(desk: Desk, prefix: str) -> list[AnyEntry]:
    """Two days with a reply each, a truncated result, a prune and a compaction."""
    cut = truncate_result("word " * 20_000, "bash", desk.engine.conversations.policy)
    result = ToolResult("1", "bash", cut.text, spill=cut.spill or "")
    pruned = PrunedResult(f"{prefix}r", "hard_clear", "…")
    return [
        Message(id=f"{prefix}u", at=NOON, role=Role.USER, parts=(Text("Hello?"),)),
        reply(f"{prefix}a", NOON + 1, 400),
        Message(id=f"{prefix}r", at=NOON + 2, role=Role.TOOL, parts=(result,)),
        Prune(id=f"{prefix}p", at=NOON + 3, trigger=Trigger.AFTER_TURN, results=(pruned,),
              tokens_before=900, tokens_after=700),
        Compaction(id=f"{prefix}c", at=NOON + DAY, trigger=Trigger.BEFORE_REQUEST, strategy="llm", summary="…",
                   archived=(f"{prefix}u",), tokens_before=700, tokens_after=300, seconds=2.5, model="far/small",
                   usage=Usage(90, 9, dollars=0.01), fidelity=Fidelity(6, 3, 1, 0)),
        reply(f"{prefix}b", NOON + DAY + 1, 300),
        AuxiliaryUsage(id=f"{prefix}x", at=NOON + DAY + 2, purpose="title", model="far/small", usage=Usage(30, 3)),
    ]  # fmt: skip


async def made(desk: Desk, prefix: str) -> str:
    session = await desk.engine.conversations.create("One", [])
    await session.record(*life(desk, prefix))
    return session.id


async def test_the_figures_of_one_conversation_are_those_of_its_totals_and_its_gauge(desk: Desk) -> None:
    name = await made(desk, "m")
    read, opened = await desk.ask(p.ReadInsights(name)), await desk.ask(p.OpenConversation(name))
    insights, totals = read.insights, opened.totals
    spent, auxiliary = insights.spent(), totals.auxiliary
    assert (
        spent.prompt_tokens
        == totals.replies.prompt_tokens + auxiliary.prompt_tokens
        == insights.all_days.usage.prompt_tokens
    )
    assert spent.dollars == pytest.approx((totals.replies.dollars or 0) + (auxiliary.dollars or 0))
    assert insights.spent("summary").dollars == 0.01
    assert (
        insights.freed("prune") + insights.freed("compaction") == totals.tokens_freed == insights.all_days.freed == 600
    )
    assert [len(insights.days), insights.all_days.truncated, insights.all_days.operations] == [2, 1, 2]
    assert insights.all_days.bytes_left_out > 50_000
    rows = {row.id: row for row in opened.operations}
    assert [one.messages for one in insights.operations] == [rows["mp"].messages, rows["mc"].messages]
    assert [one.is_waited_for for one in insights.operations] == [False, True]
    assert read.gauge == opened.gauge
    assert [one.tokens for one in insights.moments] == [420, 320]


async def test_all_conversations_are_the_sum_of_each_without_those_that_are_deleted(desk: Desk) -> None:
    names = [await made(desk, prefix) for prefix in ("m", "n", "o")]
    await desk.ask(p.Delete((names[2],)))
    one, two = [(await desk.ask(p.ReadInsights(name))).insights for name in names[:2]]
    both = (await desk.ask(p.ReadInsights())).insights
    assert both.conversations == 2
    assert both.spent().prompt_tokens == one.spent().prompt_tokens + two.spent().prompt_tokens
    assert both.freed("compaction") == one.freed("compaction") + two.freed("compaction")
    assert [day.usage.requests for day in both.days] == [2 * day.usage.requests for day in one.days]
    assert (both.moments, both.is_counted, one.is_counted) == ((), False, True)


async def test_those_of_a_project_are_the_sum_of_its_own(desk: Desk, tmp_path: Path) -> None:
    names = [await made(desk, prefix) for prefix in ("m", "n", "o")]
    project = (await desk.ask(p.SaveProject(Project("", "Work")))).changed
    await desk.ask(p.MoveConversations(tuple(names[1:]), project))
    one = (await desk.ask(p.ReadInsights(names[0]))).insights
    several = (await desk.ask(p.ReadInsights(project=project))).insights
    assert several.conversations == 2
    assert several.spent().prompt_tokens == 2 * one.spent().prompt_tokens
    await desk.ask(p.ExportInsights(str(tmp_path / "project.csv"), project=project))
    await desk.ask(p.ExportInsights(str(tmp_path / "all.csv")))
    files = [(tmp_path / name).read_text("utf-8-sig").splitlines() for name in ("project.csv", "all.csv")]
    assert sum("prune," in line for line in files[0]) == 2
    assert sum("prune," in line for line in files[1]) == 3


async def test_the_export_has_the_same_figures_and_fails_with_a_reason(desk: Desk, tmp_path: Path) -> None:
    name, file = await made(desk, "m"), tmp_path / "insights.csv"
    await desk.ask(p.ExportInsights(str(file), name))
    with file.open(newline="", encoding="utf-8-sig") as opened:
        rows = list(csv.DictReader(opened))
    by_kind = {kind: [row for row in rows if row["kind"] == kind] for kind in {row["kind"] for row in rows}}
    insights = (await desk.ask(p.ReadInsights(name))).insights
    assert [int(row["tokens_after"]) for row in by_kind["reply"]] == [one.tokens for one in insights.moments]
    assert sum(int(row["tokens_in"]) for row in by_kind["model"]) == insights.spent().prompt_tokens
    assert sum(int(row["tokens_freed"]) for row in by_kind["day"]) == 600
    assert len(by_kind["prune"] + by_kind["compaction"]) == 2
    with pytest.raises(WorldError) as caught:
        await desk.ask(p.ExportInsights(str(tmp_path / "nowhere" / "x.csv"), name))
    assert caught.value.failure.kind == "disk"
    assert [path.name for path in tmp_path.iterdir() if path.suffix in (".csv", ".part")] == ["insights.csv"]


async def test_reading_everything_can_be_cancelled(desk: Desk) -> None:
    await made(desk, "m")
    reading = asyncio.ensure_future(desk.ask(p.ReadInsights()))
    while not desk.engine.newest.is_running(TaskKey(p.Computation.INSIGHTS)):
        await asyncio.sleep(0)
    await desk.ask(p.CancelComputation(p.Computation.INSIGHTS))
    with pytest.raises(WorldError) as caught:
        await reading
    assert caught.value.failure.kind == "cancelled"
    assert (await desk.ask(p.ReadInsights())).insights.conversations == 1


async def test_a_conversation_without_a_reply_has_no_figures(desk: Desk) -> None:
    session = await desk.engine.conversations.create("One", [user_message("Hello?")])
    read = await desk.ask(p.ReadInsights(session.id))
    assert (read.insights.moments, read.insights.usage, read.insights.days, read.saved) == ((), (), (), None)
    assert sum(read.insights.recorded.values()) > 0


FORMULAS = (
    "=cmd|' /C calc'!A0",
    "+1",
    "-1+1",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1",
    "\xa0=1",
    "\ufeff=1",
    "＝1",
    "a\r=1",
)


@pytest.mark.parametrize("text", FORMULAS)
def test_no_name_becomes_a_formula_of_a_spreadsheet(text: str) -> None:
    insights = Insights(usage=(UsageOf(text, text, Usage(1, 1)),))
    [row] = [row for row in csv.DictReader(csv_of(insights).splitlines(keepends=True)) if row["kind"] == "model"]
    for name in ("name", "detail"):
        assert row[name].lstrip("\ufeff \xa0")[0] not in "=+-@＝＋－＠\t\r\n"
        assert row[name].removeprefix("'") == text
