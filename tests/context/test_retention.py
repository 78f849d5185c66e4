"""What is left of real conversations at a quarter of their tokens.

What is looked for is found here by rules of its own, not by those of `context.ledger.facts`, and looked for in
what would be sent, not in the summary. The bounds are a little under what was measured when they were set.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.view.view import assemble, view_of
from desktop_app.conversation.openai_chat import chat_of, messages_of, read_jsonl
from desktop_app.conversation.transcript import Chain, Transcript
from desktop_app.models.tokens.tokenizers import tokenizer_for
from real_conversations import FILES, questions_about, those_here
from room_made import brought_to

pytestmark = pytest.mark.slow

Chat = list[dict[str, Any]]

LINK = re.compile(r"https?://[^\s)>\]\"'`]+")
PATH = re.compile(
    r"(?<![\w/.:])(?:~|\.{1,2}|[\w.@-]+)?(?:/[\w.@+-]+)+|\b[\w-]+\.(?:py|ts|tsx|js|json|md|toml|ya?ml|sql|sh|html)\b"
)
NAME = re.compile(
    r"\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b[A-Za-z]\w*_\w+\b|\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\b|\b[A-Z]{2,}-?\d+\b"
)
NUMBER = re.compile(r"(?<![\w.])\d[\d.,:/-]*\d%?(?!\w)")
QUOTED = re.compile(r"`([^`\n]{2,120})`")
ERROR = re.compile(
    r"^\s*(?:\w+\.)*[A-Z]\w*(?:Error|Exception)\b.*: |\berror(?: TS\d+)?: |^(?:error|fatal|ERROR|FAILED|Traceback)\b"
    r"|^grep: |: No such file|command not found|exited with code [1-9]"
)
RULE = re.compile(
    r"\b(?:always|never|must|should|prefer|make sure|avoid)\b|\bdon['’]t\b(?! (?:think|know|understand))", re.IGNORECASE
)


class Kept:
    """A conversation, and what would be sent of it."""

    def __init__(self, chat: Chat) -> None:
        messages, self.chat = messages_of(chat, str), chat
        counts = TokenCounts(tokenizer_for("gpt-4o"))
        whole, view = view_of(Transcript(Chain(messages))), brought_to(0.25, messages, counts)
        self.share_left = request_tokens(view, counts) / request_tokens(whole, counts)
        sent = assemble(view)
        places = {id(message): index for index, message in enumerate(messages)}
        self.verbatim = {places[id(message)] for message in sent if id(message) in places}
        self.lines = [line for message in chat_of(sent) for line in text_of(message).splitlines()]
        self.text = "\n".join(
            text_of(m) + json.dumps(m.get("tool_calls") or "", ensure_ascii=False) for m in chat_of(sent)
        )

    def share(self, wanted: set[str]) -> float:
        """The share of those texts that would be sent, each as a whole."""
        found = sum(
            re.search(rf"(?<!\w){re.escape(text)}(?!\w)", self.text) is not None or text in self.text for text in wanted
        )
        return found / len(wanted) if wanted else 1.0


def text_of(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def chat_of_file(name: str, first: int = 0, last: int | None = None) -> Chat:
    return read_jsonl(FILES[name].read_bytes())[first:last]


def said_early(chat: Chat) -> set[str]:
    """Facts that the user said in the first 70 % of the messages and did not repeat later."""
    border = int(len(chat) * 0.7)
    early, late = (
        "\n".join(text_of(m) for m in part if m["role"] == "user") for part in (chat[:border], chat[border:])
    )
    facts = {
        match.group(1 if pattern is QUOTED else 0)
        for pattern in (LINK, PATH, NAME, NUMBER, QUOTED)
        for match in pattern.finditer(early)
    }
    return {fact.strip().rstrip(".,;:!?") for fact in facts} - {fact for fact in facts if fact in late}


def edited(chat: Chat) -> set[str]:
    calls = [call["function"] for message in chat for call in message.get("tool_calls") or []]
    return {json.loads(call["arguments"])["path"] for call in calls if call["name"] in ("edit", "write")}


def error_lines(kept: Kept) -> set[str]:
    results = (text_of(m) for n, m in enumerate(kept.chat) if m["role"] == "tool" and n not in kept.verbatim)
    lines = {line.strip() for text in results for line in text.splitlines() if ERROR.search(line)}
    return {line[:160] for line in lines if not line.endswith(("{", ",", ";"))}


def rules(chat: Chat) -> set[str]:
    texts = (text_of(message) for message in chat if message["role"] == "user")
    sentences = (
        s.strip() for text in texts if len(text) < 1_500 for s in re.split(r"(?<=[.!?])\s+(?=[A-Z])|\n+", text)
    )
    return {
        sentence
        for sentence in sentences
        if RULE.search(sentence) and not sentence.endswith("?") and len(sentence) < 400
    }


SESSIONS = those_here(
    ("coding_agent", 0, 57),
    ("pi-large-session", 0, 450),
    ("pi-large-session", 450, 900),
    ("pi-large-session", 0, 900),
)
SHORT = those_here(
    "airline_booking",
    "airline_downgrade",
    "software_agent",
    "aider-0012",
    "aider-0618",
    "tau-airline-02-1",
    "tau-airline-46-3",
    "sweagent-20-marshmallow-code-marshmallow-1867",
)


@pytest.mark.parametrize(("name", "first", "last"), SESSIONS)
def test_a_long_session_keeps_facts_files_errors_and_rules(name: str, first: int, last: int) -> None:
    kept = Kept(chat_of_file(name, first, last))
    assert kept.share_left > 0.9 * 0.25, "all of the room is used"
    assert kept.share(said_early(kept.chat)) >= 0.95
    assert kept.share(edited(kept.chat)) == 1.0
    assert kept.share(error_lines(kept)) >= 0.85
    assert kept.share(rules(kept.chat)) == 1.0


@pytest.mark.parametrize("name", SHORT)
def test_short_work_keeps_what_the_user_said(name: str) -> None:
    kept = Kept(chat_of_file(name))
    assert kept.share(said_early(kept.chat)) >= 0.95
    assert kept.share(rules(kept.chat)) == 1.0


@pytest.mark.parametrize(("name", "least"), those_here(("companion", 0.25), ("locomo-26", 0.40), ("locomo-30", 0.40)))
def test_of_a_chat_among_people_much_of_what_is_asked_later_is_kept(name: str, least: float) -> None:
    kept = Kept(chat_of_file(name))
    asked = {index for question in questions_about(name) for index in question.evidence}
    told = [content_words(line) for line in kept.lines]

    def is_there(index: int) -> bool:
        words = content_words(text_of(kept.chat[index]))
        return index in kept.verbatim or any(len(words & line) >= 0.6 * len(words) for line in told)

    assert sum(map(is_there, asked)) / len(asked) >= least


SMALL_WORDS = {
    "the", "a", "an", "and", "or", "of", "to", "in", "is", "it", "you", "i", "he", "she", "they", "we", "my", "your",
    "his", "her", "for", "on", "with", "at", "that", "this", "was", "be",
}  # fmt: skip


def content_words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9']{2,}", text.lower())) - SMALL_WORDS
