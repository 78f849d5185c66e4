"""Conversations for property tests: parallel calls, failed calls, broken histories, giants, several languages."""

from __future__ import annotations

from hypothesis import strategies as st

from desktop_app.context.counting import Overhead
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role, Text, ToolCall, ToolResult


class Letters:
    """A tokenizer that counts four characters as one token, rounded up: enough for every rule but exactness."""

    name = "letters"
    overhead = Overhead()

    def count(self, text: str) -> int:
        return (len(text) + 3) // 4


WORDS = st.sampled_from(
    [
        "never touch vendor/, please.",
        "Every migration must have a down step.",
        "Ich möchte das anders machen.",
        "我们应该使用 `ledger_entries` 表。",
        "See https://example.org/a/b?c=1 for details.",
        "The cut-over is on 3 March, 06:00 UTC.",
        "billing/models/ledger.py line 42 fails.",
        "ok",
        "",
        "<|endoftext|> 🙂🙃",
        "What about `LedgerEntry.currency`?",
        "We decided to split invoices because refunds were edited in place.",
        "x" * 900,
        "word " * 400,
        "```python\nprint('a' * 3)\n```",
    ]
)
TEXTS = st.lists(WORDS, min_size=0, max_size=4).map(" ".join)
RESULTS = st.one_of(
    TEXTS, st.integers(1, 400).map(lambda n: "line of output\n" * n), st.just("Traceback\nValueError: bad currency\n")
)
CALL_IDS = st.sampled_from(["call_1", "call_2", "call_3"])  # few, since ids repeat in real traces


@st.composite
def rounds(draw: st.DrawFn) -> list[Message]:
    """An assistant message with calls and their results, some of which are missing or nobody's."""
    ids = draw(st.lists(CALL_IDS, min_size=1, max_size=3))
    calls = tuple(ToolCall(i, draw(st.sampled_from(["read", "bash", "edit"])), '{"path": "a/b.py"}') for i in ids)
    reasoning = (Reasoning("Let me look."),) if draw(st.booleans()) else ()
    messages = [Message(role=Role.ASSISTANT, parts=(*reasoning, Text(draw(TEXTS)), *calls))]
    answered = ids if draw(st.integers(0, 4)) else ids[:-1]
    messages += [Message(role=Role.TOOL, parts=(ToolResult(i, "bash", draw(RESULTS)),)) for i in answered]
    if draw(st.integers(0, 9)) == 0:
        messages.append(Message(role=Role.TOOL, parts=(ToolResult("nobody's", "bash", "orphan"),)))
    return messages


@st.composite
def spoken(draw: st.DrawFn) -> list[Message]:
    """One message of a user or of the model."""
    role = draw(st.sampled_from([Role.USER, Role.ASSISTANT]))
    image = (Attachment("a.png", "image/png", "data:image/png;base64,AAAA"),) if draw(st.integers(0, 9)) == 0 else ()
    return [Message(role=role, parts=(Text(draw(TEXTS)), *image))]


PIECES = st.one_of(spoken(), spoken(), rounds())


@st.composite
def histories(draw: st.DrawFn, most: int = 14) -> list[Message]:
    """Messages without ids: sometimes a system prompt, sometimes two, then anything."""
    system = [Message(role=Role.SYSTEM, parts=(Text("You are careful."),))] * draw(st.integers(0, 2))
    return system + [message for piece in draw(st.lists(PIECES, max_size=most)) for message in piece]
