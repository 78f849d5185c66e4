"""What is kept of made-up sessions of many kinds at a quarter of their tokens: nothing here was tuned on."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from sessions_made_up import KINDS, Session, session

from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.view.view import assemble
from desktop_app.conversation.openai_chat import chat_of
from desktop_app.models.tokens.tokenizers import tokenizer_for
from room_made import brought_to

pytestmark = pytest.mark.slow


def sent_of(made: Session) -> str:
    """What would be sent of that session at a quarter of its tokens."""
    view = brought_to(0.25, made.messages, TokenCounts(tokenizer_for("gpt-4o")))
    return "\n".join(
        f"{message.get('content') or ''}\n{json.dumps(message.get('tool_calls') or '', ensure_ascii=False)}"
        for message in chat_of(assemble(view))
    )


@pytest.mark.parametrize("turns", [12, 60, 150])
@pytest.mark.parametrize("name", KINDS)
def test_facts_files_errors_and_rules_are_kept(name: str, turns: int) -> None:
    made = session(KINDS[name], turns, seed=turns)
    sent = sent_of(made)

    def missing(wanted: Iterable[str]) -> list[str]:
        return [text for text in wanted if text not in sent and json.dumps(text)[1:-1] not in sent]

    assert missing(made.rules) == missing(made.edited) == []
    assert len(missing(made.facts)) <= 0.05 * len(made.facts)
    assert len(missing(made.errors)) <= 0.15 * len(made.errors)
