"""What is kept of made-up sessions of many kinds at a quarter of their tokens: nothing here was tuned on."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace
from sessions_made_up import KINDS, Session, session

from desktop_app.context.compact.compaction import CompactionPlan, compaction_of
from desktop_app.context.compact.make_room import make_room
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.policy import BALANCED, Budget, policy_for_target
from desktop_app.context.view.view import assemble, view_of
from desktop_app.conversation.chain import Chain
from desktop_app.conversation.openai_chat import chat_of
from desktop_app.conversation.transcript import Transcript, Trigger
from desktop_app.models.tokens.tokenizers import tokenizer_for

pytestmark = pytest.mark.slow


def sent_of(made: Session) -> str:
    """What would be sent of that session at a quarter of its tokens."""
    counts = TokenCounts(tokenizer_for("gpt-4o"))
    transcript = Transcript(Chain(made.messages))
    view = view_of(transcript)
    budget = Budget(request_tokens(view, counts) // 4, 0)
    while step := make_room(view, policy_for_target(BALANCED), budget, counts, Trigger.USER):
        operation = compaction_of(step, transcript, view, counts) if isinstance(step, CompactionPlan) else step
        assert operation is not None
        transcript = transcript.append(replace(operation, id=f"op{len(transcript.entries)}"))
        view = view_of(transcript)
    assert request_tokens(view, counts) <= budget.usable
    return "\n".join(
        f"{message.get('content') or ''}\n{json.dumps(message.get('tool_calls') or '', ensure_ascii=False)}"
        for message in chat_of(assemble(view))
    )


@pytest.mark.parametrize("turns", [12, 60, 150])
@pytest.mark.parametrize("name", KINDS)
def test_facts_files_errors_and_rules_are_kept(name: str, turns: int) -> None:
    made = session(KINDS[name], turns, seed=turns)
    sent = sent_of(made)
    missing = {
        what: [text for text in wanted if text not in sent and json.dumps(text)[1:-1] not in sent]
        for what, wanted in (
            ("facts", made.facts),
            ("files", made.edited),
            ("errors", made.errors),
            ("rules", made.rules),
        )
    }
    assert missing["rules"] == []
    assert missing["files"] == []
    assert len(missing["facts"]) <= 0.05 * len(made.facts), missing["facts"]
    assert len(missing["errors"]) <= 0.15 * len(made.errors), missing["errors"]
