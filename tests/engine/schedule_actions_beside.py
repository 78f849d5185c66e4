"""What is done beside a turn: attachments, setups and policies, backups and exports, and the end of the engine."""

from __future__ import annotations

import gc

from schedule_actions import MODELS, Actor, Picks, action

from desktop_app.conversation.memory import Memory
from desktop_app.conversation.message import Attachment
from desktop_app.conversation.setup import ConversationSetup, ReplyOptions
from desktop_app.engine import protocol as p

POLICIES = ("", "aggressive", "relaxed", "balanced")
LINE = "a line of what a command printed, which goes on for a while\n"


@action(4)
async def send_attachment(actor: Actor, picks: Picks) -> None:
    """A file, or what a command of the user's printed: small, large, and larger than the window."""
    lines = (2, 40, 120, 900)[picks[1] % 4]
    printed = Attachment(f"{picks[2]}.txt", "text/plain", LINE * lines)
    actor.say(actor.conversation(picks[0]), lambda c, text: p.Send(c, text, (printed,), is_now=picks[2] % 4 == 0))


@action(2)
async def shorten(actor: Actor, picks: Picks) -> None:
    conversation = actor.conversation(picks[0])
    actor.shortened[conversation] += 1
    actor.post(p.ShortenMessage(conversation, as_file=picks[1] % 2 == 0))


@action(4)
async def choose_policy(actor: Actor, picks: Picks) -> None:
    actor.post(p.ChoosePolicy(actor.conversation(picks[0]), POLICIES[picks[1] % len(POLICIES)]))


@action(4)
async def change_setup(actor: Actor, picks: Picks) -> None:
    """Its prompt, its tools and the length of its replies, and sometimes its model or its policy with them."""
    setup = ConversationSetup(
        system_prompt=f"Answer in {picks[1]} words.",
        options=ReplyOptions(),
        max_output=(0, 200)[picks[2] % 2],
        tools_off=((), ("probe",), ("change", "recall"))[picks[1] % 3],
    )
    model = MODELS[picks[2] % 2] if picks[1] % 4 == 0 else None
    policy = POLICIES[picks[2] % len(POLICIES)] if picks[1] % 5 == 0 else None
    actor.post(p.ChangeSetup(actor.conversation(picks[0]), setup, model=model, policy=policy))


@action(3)
async def stop_tool(actor: Actor, picks: Picks) -> None:
    """The call that began last, whether it still runs or not."""
    if (started := actor.engine.newest_call) is not None:
        actor.post(p.StopTool(started.conversation, started.reply_id, started.call_index))


@action(4)
async def back_up(actor: Actor, picks: Picks) -> None:
    actor.post(p.BackUpNow())


@action(4)
async def export(actor: Actor, picks: Picks) -> None:
    """One conversation, or everything."""
    target = actor.engine.folder / f"exported-{picks[1] % 3}"
    if picks[2] % 3:
        scope, kind = ("record", "view")[picks[1] % 2], ("markdown", "html", "json")[picks[1] % 3]
        actor.post(p.ExportConversation(actor.conversation(picks[0]), f"{target}.{kind}", kind, scope, True))
    else:
        actor.post(p.ExportWhole(f"{target}.zip", is_replacing=True))


@action(3)
async def let_write_a_summary(actor: Actor, picks: Picks) -> None:
    """Plan, let a model write the summary, and apply what became of it."""
    conversation = actor.conversation(picks[0])
    planned = await actor.post(p.PlanOptimize(conversation, tail_tokens=100 * (picks[1] % 5)))
    if isinstance(planned, p.Plan) and planned.is_useful:
        written = actor.post(p.WriteSummary(conversation, planned.id))
        if picks[2] % 4 == 0:
            actor.post(p.CancelComputation(p.Computation.PLAN, conversation))
        if isinstance(plan := await written, p.Plan):
            actor.post(p.ApplyPlan(conversation, plan.id, plan.summary))


@action(5)
async def look(actor: Actor, picks: Picks) -> None:
    """What dialogs and the panel ask for, which changes nothing."""
    conversation = actor.conversation(picks[0])
    asked = (
        p.CountDraft(conversation, "What we said of the river " * (picks[2] % 40)),
        p.PreviewModel(conversation, MODELS[picks[2] % 2]),
        p.ReadRequest(conversation),
        p.ReadSetup(conversation),
        p.ListTools(conversation),
        p.ListMemories(),
        p.DescribeData(),
        p.ListBackups(),
    )
    actor.post(asked[picks[1] % len(asked)])


@action(2)
async def write_memory(actor: Actor, picks: Picks) -> None:
    memory = Memory(id=f"memory{picks[1] % 4}", text=f"The user has {picks[2]} boats.", at=1.0, changed_at=1.0)
    actor.post(p.WriteMemory(memory, actor.conversation(picks[0])))


@action(2)
async def end_and_start(actor: Actor, picks: Picks) -> None:
    """The window is closed in the middle of whatever is under way, and opened again."""
    await actor.restart()


@action(1)
async def collect(actor: Actor, picks: Picks) -> None:
    """Python collects what nobody uses, such as sessions in cycles."""
    gc.collect()
