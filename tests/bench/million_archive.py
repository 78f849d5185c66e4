"""An archive of a million messages, for measuring search: the sentences of real conversations, mixed, and rare words.

python tests/bench/million_archive.py FILE [MESSAGES]     writes it (about 2 GB for a million)
"""

from __future__ import annotations

import json
import random
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from desktop_app.archive.store import Store
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Part, Role, Text, ToolCall, ToolResult

SHARED = Path(__file__).resolve().parents[3] / "shared" / "conversations"
IN_ONE = 100
"""Messages of a conversation."""
RARE = 200_000
"""Made-up words, as often as words are (Zipf's law): two in each message."""
FIRST, LAST = 1_640_995_200.0, 1_790_000_000.0
"""From January 2022 to September 2026, in seconds since 1970."""
TOOLS = ("bash", "read", "edit", "web_search", "grep")
MODELS = ("openai/gpt-5", "anthropic/claude-sonnet-4.5", "builtin/smollm2", "local/qwen3-30b")
_SENTENCE = re.compile(r"[^.!?\n]{12,200}[.!?\n]")


def sentences() -> list[str]:
    """Return the sentences of the shared conversations, in their order; without that folder there are none."""
    found: list[str] = []
    for file in sorted(SHARED.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            said = json.loads(line).get("content")
            found += [text.strip() for text in _SENTENCE.findall(said)] if isinstance(said, str) else []
    return found


def rare_words(chance: random.Random) -> list[str]:
    ends = ("ba", "do", "ri", "me", "tu", "kel", "vor", "sin", "pa", "lum", "qua", "zet")
    return ["".join(chance.choices(ends, k=chance.randint(3, 6))) + str(n % 97 or "") for n in range(RARE)]


def conversations(messages: int, seed: int = 11) -> Iterator[tuple[ConversationInfo, list[Message]]]:
    """Yield conversations of IN_ONE messages, in the order of time: users, replies, calls of tools, some code."""
    chance = random.Random(seed)
    said, rare = sentences(), rare_words(chance)
    ranks = [1 / (rank + 1) for rank in range(RARE)]
    count = messages // IN_ONE
    for number in range(count):
        began = FIRST + (LAST - FIRST) * number / count
        words = chance.choices(rare, ranks, k=2 * IN_ONE)
        whole = [_message(chance, number, n, began + 60 * n, said, words[2 * n : 2 * n + 2]) for n in range(IN_ONE)]
        yield ConversationInfo(f"c{number}", f"Conversation {number}", began, began + 60 * IN_ONE, IN_ONE), whole


def _message(
    chance: random.Random, conversation: int, n: int, at: float, said: Sequence[str], rare: Sequence[str]
) -> Message:
    text = " ".join([*chance.choices(said, k=chance.randint(1, 5)), *rare])
    kind = n % 5
    parts: tuple[Part, ...] = (Text(text),)
    role, model = Role.USER, ""
    if kind in (1, 2, 4):
        role, model = Role.ASSISTANT, MODELS[conversation % len(MODELS)]
        if kind == 1:
            parts = (Text(text), ToolCall(f"t{n}", TOOLS[conversation * 7 % len(TOOLS)], '{"path": "src/a.py"}'))
        if kind == 4 and conversation % 3 == 0:
            parts = (Text(f"{text}\n\n```python\ndef step_{n}(x):\n    return x + {n}\n```"),)
    if kind == 2:
        role, parts = Role.TOOL, (ToolResult(f"t{n - 1}", TOOLS[conversation * 7 % len(TOOLS)], text),)
    return Message(id=f"m{conversation}-{n}", at=at, role=role, model=model, parts=parts)


def write(file: Path, messages: int) -> None:
    store = Store(file)
    began = time.monotonic()
    for number, (info, said) in enumerate(conversations(messages)):
        store.create(info, said)
        if number % 500 == 0:
            print(number, f"{time.monotonic() - began:.0f} s", flush=True)
    store.close()


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000)
