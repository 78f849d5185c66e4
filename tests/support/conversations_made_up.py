"""Conversations for tests: parallel calls, failed calls, broken histories, giants, several languages.

histories(), PIECES        small ones, drawn by Hypothesis
long_conversation(count)   of any length, the same at each call
"""

from __future__ import annotations

import random

from hypothesis import strategies as st
from msgspec.structs import replace

from desktop_app.context.counting.tokens import Overhead
from desktop_app.conversation.message import Attachment, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult


class Letters:
    """A tokenizer that counts four characters as one token, rounded up: enough for every rule but exactness."""

    name = "letters"
    overhead = Overhead()

    def count(self, text: str) -> int:
        return (len(text) + 3) // 4


class Bytes:
    """Another model's tokenizer: three bytes a token, and another frame around each message."""

    name = "bytes"
    overhead = Overhead(message=5, assistant=6, priming=4)

    def count(self, text: str) -> int:
        return (len(text.encode(errors="replace")) + 2) // 3


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
        "   \n",
        "今日は `parser.py` を直しました。",
        "설정은 절대 바꾸지 마세요.",
        "لا تحذف الملف أبدا.",
        "lone \ud800 surrogate, \x00 and \x1b[31m",
        "[Summary of the earlier conversation. The messages themselves are archived.]",
    ]
)
TEXTS = st.lists(WORDS, min_size=0, max_size=4).map(" ".join)
PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
RESULTS = st.one_of(
    TEXTS, st.integers(1, 400).map(lambda n: "line of output\n" * n), st.just("Traceback\nValueError: bad currency\n")
)
CALL_IDS = st.sampled_from(["call_1", "call_2", "call_3", "", "tool:0/1"])  # few, since ids repeat in real traces
ARGUMENTS = st.sampled_from(
    ['{"path": "a/b.py"}', '{"path": "a/b.py"}', "{}", "", "[1]", '{"path": "a/', '"x"', "{" * 40]
)
TOOLS = st.sampled_from(["read", "read", "bash", "edit", "save_memory", "", "mcp server.tool/1"])
ERRORS = st.sampled_from([False, False, False, True])


@st.composite
def rounds(draw: st.DrawFn) -> list[Message]:
    """An assistant message with calls and their results, some of which are missing, in another order or nobody's."""
    ids = draw(st.lists(CALL_IDS, min_size=1, max_size=3))
    calls = tuple(ToolCall(i, draw(TOOLS), draw(ARGUMENTS)) for i in ids)
    reasoning = (Reasoning("Let me look."),) if draw(st.booleans()) else ()
    text = (Text(draw(TEXTS)),) if draw(st.booleans()) else ()
    messages = [Message(role=Role.ASSISTANT, parts=(*reasoning, *text, *calls))]
    answered = calls if draw(st.integers(0, 4)) else calls[:-1]
    if draw(st.integers(0, 4)) == 0:
        answered = answered[::-1]
    messages += [tool_message(ToolResult(c.call_id, c.name, draw(RESULTS), draw(ERRORS))) for c in answered]
    if draw(st.integers(0, 9)) == 0:
        messages.append(tool_message(ToolResult("nobody's", "bash", "orphan")))
    return messages


def tool_message(result: ToolResult) -> Message:
    return Message(role=Role.TOOL, parts=(result,))


TEXT_FILES = st.sampled_from(
    [
        Attachment("notes.md", "text/markdown", "# Notes\n- never touch vendor/\n"),
        Attachment("empty.txt", "text/plain", ""),
    ]
)
ATTACHMENTS = st.one_of(TEXT_FILES, st.just(Attachment("a.png", "image/png", PIXEL)))


@st.composite
def systems(draw: st.DrawFn) -> list[Message]:
    """Seldom a system message in the middle, or an empty one; else what somebody says."""
    if draw(st.integers(0, 19)):
        return draw(spoken())
    return [Message(role=Role.SYSTEM, parts=(Text(draw(st.sampled_from(["Be brief.", ""]))),))]


@st.composite
def spoken(draw: st.DrawFn) -> list[Message]:
    """One message of a user or of the model."""
    role = draw(st.sampled_from([Role.USER, Role.USER, Role.ASSISTANT]))
    parts: list[Part] = [Text(draw(TEXTS))] if draw(st.integers(0, 9)) else []
    if draw(st.integers(0, 9)) == 0:
        parts.append(draw(ATTACHMENTS if role is Role.USER else TEXT_FILES))
    speaker = draw(st.sampled_from(["", "", "", "Mary Ann"]))
    is_cut = role is Role.ASSISTANT and draw(st.integers(0, 9)) == 0
    return [Message(role=role, parts=tuple(parts), speaker=speaker, is_interrupted=is_cut)]


PIECES = st.one_of(spoken(), spoken(), rounds(), rounds(), systems())


@st.composite
def histories(draw: st.DrawFn, most: int = 14) -> list[Message]:
    """Messages without ids: sometimes a system prompt, sometimes two, then anything, also an assistant first."""
    prompt = Message(role=Role.SYSTEM, parts=(Text("You are careful."),))
    system = [prompt] * draw(st.integers(0, 2))
    return system + [message for piece in draw(st.lists(PIECES, max_size=most)) for message in piece]


LANGUAGES = (
    "Please look at `{t}_{n}` in src/{t}/{n}.py, it must not lose invoice {n}. The ticket is OPS-{n}. ",
    "Ich möchte, dass `{t}` nie mehr als {n} Zeilen liest, wegen der Abrechnung im März. ",
    "请检查 src/{t}/{n}.py 里的 `{t}_{n}`,绝对不要删除发票。",
    "明日までに `{t}_{n}` を直してください。テストは {n} 件です。",
    "See https://example.org/{t}/{n}?q=1 and decide whether {n} % is right. What about {t}? ",
)
TOPICS = ("ledger", "queue", "shard", "invoice", "refund", "tariff", "harbour", "window", "index", "cache", "parser")


def long_conversation(count: int, seed: int = 1) -> list[Message]:
    """About `count` messages with ids, the same at each call: turns with rounds of one to three parallel calls whose
    ids repeat, failed calls, missing and orphaned results, blank and giant texts, images, reasoning, five languages.

    It starts with a system prompt and ends with a user's message.
    """
    dice = random.Random(seed)
    messages = [Message(role=Role.SYSTEM, parts=(Text("You are careful. Never touch vendor/."),))]
    while len(messages) < count - 1:
        messages += _turn(dice, len(messages))
    messages = [*messages[: count - 1], Message(role=Role.USER, parts=(Text("Go on with the last one, please."),))]
    return [replace(message, id=f"m{n}") for n, message in enumerate(messages)]


def _turn(dice: random.Random, n: int) -> list[Message]:
    """A user's message, rounds of calls, and most times a reply."""
    asked: list[Part] = [Text(_prose(dice, n))]
    if dice.random() < 0.03:
        asked.append(Attachment("a.png", "image/png", PIXEL))
    turn = [Message(role=Role.USER, parts=tuple(asked))]
    for _ in range(dice.choice((0, 0, 1, 1, 2, 4))):
        turn += _round(dice, n)
    if dice.random() < 0.9:
        turn.append(Message(role=Role.ASSISTANT, parts=(Text(_prose(dice, n + 1)),)))
    return turn


def _prose(dice: random.Random, n: int) -> str:
    if dice.random() < 0.01:
        return dice.choice(("", "  \n", "x" * 3_000))
    return "".join(dice.choice(LANGUAGES).format(t=dice.choice(TOPICS), n=n) for _ in range(dice.choice((1, 2, 3, 8))))


def _round(dice: random.Random, n: int) -> list[Message]:
    """One request's calls, and their results: a few are missing, failed, huge or orphaned."""
    names = [dice.choice(("read", "bash", "edit")) for _ in range(dice.choice((1, 1, 1, 2, 3)))]
    ids = [dice.choice(("call_1", "call_2", f"call_{n}_{k}")) for k in range(len(names))]
    places = (f'{{"path": "src/{dice.choice(TOPICS)}/{n}_{k}.py"}}' for k in range(len(names)))
    calls = tuple(ToolCall(*call) for call in zip(ids, names, places, strict=True))
    said: tuple[Part, ...] = (Text(_prose(dice, n)),) if dice.random() < 0.5 else ()
    reasoning: tuple[Part, ...] = (Reasoning("Let me look first."),) if dice.random() < 0.2 else ()
    results = [tool_message(_result(dice, call)) for call in calls if dice.random() < 0.98]
    if dice.random() < 0.01:
        results.append(tool_message(ToolResult("nobody's", "bash", "orphan")))
    return [Message(role=Role.ASSISTANT, parts=(*reasoning, *said, *calls)), *results]


def _result(dice: random.Random, call: ToolCall) -> ToolResult:
    topic = dice.choice(TOPICS)
    if dice.random() < 0.1:
        return ToolResult(call.call_id, call.name, f"Traceback\nKeyError: no {topic} in {call.arguments}\n", True)
    lines = min(int(dice.lognormvariate(2.0, 1.2)), 600)
    return ToolResult(
        call.call_id, call.name, "\n".join(f"{topic}_{k} = rate({k}, of={topic!r})" for k in range(lines))
    )
