"""A reply that is to be continued, and alone is larger than the window, is sent with its end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import letters, model, record, tokens, user
from desktop_app.context.compact.compaction import CompactionPlan, compaction_of
from desktop_app.context.compact.room_decision import WindowTooSmall, next_step
from desktop_app.context.fitting import fit_policy
from desktop_app.context.policy import BALANCED, Budget
from desktop_app.context.prune.cut_reply import NOTICE
from desktop_app.context.view.view import assemble, text_to_continue, view_of
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import AnyEntry, Continuation, Pin, Transcript, Trigger, Undo
from texts import GO_ON

MAX_STEPS = 8
LINES = st.sampled_from(
    ["Point of the report holds.\n", "x" * 700, "账本条目", "e\u0301", "A short one. ", "    rate = 1\n"]
)


@st.composite
def cut_replies(draw: st.DrawFn) -> list[Message]:
    """One reply in one to three parts, the last of which was cut."""
    size = draw(st.integers(200, 60_000))
    line = draw(LINES)
    text = "".join(f"{number} {line}" for number in range(size // (len(line) + 4) + 1))
    cuts = sorted(draw(st.lists(st.integers(1, len(text) - 1), max_size=2, unique=True)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    return [
        replace(model(piece), id=f"r{n}", continues=f"r{n - 1}" if n else "", ending="length")
        for n, piece in enumerate(pieces)
    ]


def made_room(transcript: Transcript, budget: Budget, trigger: Trigger) -> tuple[Transcript, list[str]]:
    """The record after all steps, and their ids."""
    policy, done = fit_policy(BALANCED, budget), list[str]()
    for _ in range(MAX_STEPS):
        now = view_of(transcript)
        step = next_step(now, policy, budget, letters(), trigger)
        if isinstance(step, CompactionPlan):
            step = compaction_of(step, transcript, now, letters())
        if step is None:
            return transcript, done
        assert step.tokens_after < step.tokens_before == tokens(now)
        done.append(f"step{len(done)}")
        transcript = transcript.append(replace(step, id=done[-1]))
        assert step.tokens_after == tokens(view_of(transcript))
    raise AssertionError("making room does not end")


@given(
    cut_replies(),
    st.integers(0, 5),
    st.sampled_from((4_096, 8_192, 10_240, 32_768)),
    st.sampled_from((Trigger.BEFORE_REQUEST, Trigger.OVERFLOW)),
)
def test_the_end_of_a_reply_of_any_length_fits_and_can_be_continued(
    parts: list[Message], rounds: int, window: int, trigger: Trigger
) -> None:
    budget = Budget(window, window // 4)
    before: list[AnyEntry] = [user("Earlier. " * 90), model("Yes. " * 90)] * rounds
    wish = Continuation(id="wish", reply_id=parts[-1].id)
    transcript = record(*before, user("Write the report."), *parts, wish)
    whole = "".join(part.text for part in parts)
    after, done = made_room(transcript, budget, trigger)
    view = view_of(after)
    assert tokens(view) <= budget.usable
    assert view.unfinished is not None
    assert view.unfinished.message.id == parts[-1].id
    sent = assemble(view)
    assert GO_ON in sent[-1].text
    reply = sent[-2].text
    assert text_to_continue(view) == whole
    if reply != whole:
        end = reply.removeprefix(NOTICE)
        assert reply == NOTICE + end
        assert whole.endswith(end)
        assert len(end) > 100
    for step in reversed(done):
        after = after.append(Undo(id=f"u{step}", entry_id=step))
    assert assemble(view_of(after)) == assemble(view_of(transcript))


def test_a_reply_that_fits_once_older_messages_have_left_stays_whole() -> None:
    reply = replace(model("A point. " * 200), id="r", ending="length")
    before = [user("Earlier. " * 900), model("Yes. " * 900)] * 3
    transcript = record(*before, user("Report."), reply, Continuation(id="wish", reply_id="r"))
    after, done = made_room(transcript, Budget(8_192, 2_048), Trigger.BEFORE_REQUEST)
    assert done
    assert assemble(view_of(after))[-2].text == reply.text


def test_a_pinned_reply_is_sent_verbatim_or_not_at_all() -> None:
    reply = replace(model("A point. " * 2_000), id="r", ending="length")
    wish = Continuation(id="wish", reply_id="r")
    transcript = record(user("Report."), reply, Pin(message_id="r"), wish)
    with pytest.raises(WindowTooSmall):
        made_room(transcript, Budget(4_096, 1_024), Trigger.BEFORE_REQUEST)
