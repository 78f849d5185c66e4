"""A line of the log for each truncation, prune, compaction, retry and learned limit; none with what was said."""

from __future__ import annotations

import logging

import pytest

from builders import message, user
from desktop_app.chat.operation_log import log_entries, log_retry
from desktop_app.chat.ports import ModelError
from desktop_app.context.presets import PRESETS
from desktop_app.context.truncate import truncate_result
from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import Message, Role, ToolResult
from desktop_app.conversation.transcript import Compaction, Flush, Prune, PrunedResult, Transcript, Trigger, Undo
from provider import Overflow, Reply

SAID = "heliotrope"
CUT = truncate_result(f"{SAID} " * 20_000, "bash", PRESETS["balanced"])
RESULT = Message(id="r", role=Role.TOOL, seconds=1.5, parts=(ToolResult("1", "bash", CUT.text, spill=CUT.spill or ""),))
PRUNE = Prune(
    id="p", trigger=Trigger.AFTER_TURN, results=(PrunedResult("r", "hard_clear", SAID),),
    tokens_before=9_000, tokens_after=7_500,
)  # fmt: skip
COMPACTION = Compaction(
    id="c", trigger=Trigger.BEFORE_REQUEST, strategy="llm", model="far/small", archived=("a", "b"), summary=SAID,
    tokens_before=61_204, tokens_after=4_180, seconds=2.5, note=SAID,
)  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (RESULT, ("Truncated bash output", "220,000", f"{CUT.shown_bytes:,} bytes", "1.5 s")),
        (PRUNE, ("Pruned", "9,000 → 7,500 tokens", "1,500 freed", "1 result", "after_turn")),
        (COMPACTION, ("Compacted", "61,204 → 4,180 tokens", "2 messages", "before_request", "far/small", "2.5 s")),
        (
            Flush(id="f", memories=(), trigger=Trigger.BEFORE_REQUEST, model="far/large"),
            ("Memory flush", "nothing", "far/large"),
        ),
        (Flush(id="f", memories=("a", "b"), texts=(SAID, SAID)), ("Memory flush", "2 memories", "by rule")),
        (Undo(id="u", entry_id="c"), ("Undone", "c", "61,204 → 4,180")),
        (Undo(id="v", entry_id="u"), ("Redone", "c")),
    ],
)
def test_a_line_says_what_was_done_from_what_to_what_and_how_long(caplog, entry, words) -> None:
    caplog.set_level(logging.INFO, "desktop_app")
    whole = Transcript().extend((RESULT, PRUNE, COMPACTION, Undo(id="u", entry_id="c")))
    log_entries("c1", [entry], whole.append(entry))
    (line,) = caplog.messages
    assert line.startswith("c1: ")
    assert all(word in line for word in words)
    assert SAID not in line


def test_messages_that_were_not_truncated_have_no_line(caplog) -> None:
    caplog.set_level(logging.INFO, "desktop_app")
    log_entries("c1", [user(SAID)], Transcript())
    assert caplog.messages == []


def test_a_retry_is_told_by_the_kind_of_its_error(caplog) -> None:
    log_retry("c1", ModelError(Failure("server", SAID, SAID), kind="server"), 2, 4.0)
    assert [all(word in line for word in ("c1", "2", "4.0 s", "server")) for line in caplog.messages] == [True]
    assert SAID not in caplog.text


async def test_a_real_turn_logs_the_learned_limit_and_the_operations_without_a_word_of_what_was_said(
    house, caplog
) -> None:
    caplog.set_level(logging.DEBUG, "desktop_app")
    home = await house([Overflow(window=4_096, tokens=30_000), Reply(f"It fits, {SAID}.")], window=60_000)
    said = [message(role, f"{SAID} " * 700) for role in (Role.USER, Role.ASSISTANT) * 10]
    session = await home.chats.create("Long", said)
    await home.turn(session, f"And now, {SAID}?")
    assert any("Learned limit" in line and "60,000 → 4,096 tokens" in line for line in caplog.messages)
    done = [e for e in session.transcript.entries if isinstance(e, Prune | Compaction)]
    logged = [line for line in caplog.messages if "Pruned" in line or "Compacted" in line]
    assert len(logged) == len(done) > 0
    assert all(f"{e.tokens_before:,} → {e.tokens_after:,} tokens" in line for e, line in zip(done, logged, strict=True))
    assert SAID not in caplog.text
