"""Every conversation at every budget: real ones, which lie beside the project and may be missing, and made-up ones.

What is checked is the request as it would go out, by the rules of `request_rules` and `what_must_hold`,
not by the code's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest
import what_must_hold as must
from msgspec.structs import replace

from conversations_made_up import Letters, long_conversation
from desktop_app.context.compact.compaction import CompactionPlan, compaction_of
from desktop_app.context.compact.room_decision import WindowTooSmall, next_step
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.policy import BALANCED, Budget, ContextPolicy, budget_for, policy_for_target
from desktop_app.context.view.view import view_after, view_of
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.openai_chat import messages_of, read_jsonl
from desktop_app.conversation.transcript import Chain, Transcript, Trigger
from desktop_app.models.tokens.tokenizers import tokenizer_for
from real_conversations import FILES
from request_rules import legal_for_all

SHARES = (0.01, 0.03, 0.06, 0.1, 0.17, 0.25, 0.4, 0.6, 0.8, 0.97)
"""Budgets, as shares of the conversation's own tokens; the first ones cannot be kept in the short conversations."""
MANNERS = ("target", "window")
"""How room is made: to exactly that number on the user's word, or before a request in a window of that size."""
MAX_STEPS = 12
BESIDE = 100
"""Tokens that must stay beside the system prompt and the last user message: the summary's heading, and what stands
between a summary and a user's message so that the roles take turns."""


class Run:
    """One conversation, brought under one budget: the request before and after."""

    def __init__(self, messages: Sequence[Message], share: float, manner: str, counts: TokenCounts) -> None:
        self.messages, self.counts = list(messages), counts
        self.transcript = Transcript(Chain(self.messages))
        self.view = view_of(self.transcript)
        self.before = must.chat_in(self.view)
        self.policy, self.budget, self.trigger = self._goal(manner, share)
        self.error: WindowTooSmall | None = None
        self.steps = 0
        try:
            self._make_room()
        except WindowTooSmall as error:
            self.error = error
        self.chat = must.chat_in(self.view)

    def _goal(self, manner: str, share: float) -> tuple[ContextPolicy, Budget, Trigger]:
        tokens = max(round(request_tokens(self.view, self.counts) * share), 1)
        if manner == "target":
            return policy_for_target(BALANCED), Budget(tokens, 0), Trigger.USER
        return BALANCED, budget_for(BALANCED, tokens), Trigger.BEFORE_REQUEST

    def _make_room(self) -> None:
        while step := next_step(self.view, self.policy, self.budget, self.counts, self.trigger):
            self.steps += 1
            assert self.steps <= MAX_STEPS, "it ends"
            if isinstance(step, CompactionPlan):
                step = compaction_of(step, self.transcript, self.view, self.counts)
            if step is None:
                return
            self.transcript = self.transcript.append(replace(step, id=f"op{self.steps}"))
            self.view = view_after(self.view, self.transcript)


def faults_of(run: Run) -> list[str]:
    """What is wrong with the outcome, a line each."""
    return [*_view(run), *_too_large(run), *_lost(run), *legal_for_all(run.chat)]


def _view(run: Run) -> Iterator[str]:
    """No pair is parted or repaired anew, each message is somewhere, and the tokens are those of the request."""
    yield from must.parted(run.view, run.messages)
    yield from must.misplaced(run.view, run.messages)
    yield from must.counted_wrong(request_tokens(run.view, run.counts), run.chat, run.counts)
    if len(run.messages) <= 1_000:  # each message is looked for in all
        yield from must.unsent(run.view, run.chat, run.messages)
    if must.repaired(run.chat) > must.repaired(run.before):
        yield f"{must.repaired(run.chat)} broken pairs are told of, there were {must.repaired(run.before)}"


def _too_large(run: Run) -> Iterator[str]:
    """It fits, or the refusal's numbers are true: what must stay does not fit, and nothing else is counted in."""
    total = request_tokens(run.view, run.counts)
    if run.error is None:
        if total > run.budget.usable:
            yield f"{total} tokens do not fit into {run.budget.usable}"
        return
    if run.error.usable != run.budget.usable or run.error.needed <= run.error.usable:
        yield f"it said that {run.error.needed} do not fit into {run.error.usable} of {run.budget.usable}"
    least = sum(map(run.counts.total, must_stay(run.messages)))
    open_results = total - request_tokens(replace(run.view, open_calls=()), run.counts)
    waiting = sum(map(run.counts.total, unanswered(run.messages)))
    if not least <= run.error.needed <= least + BESIDE + open_results + waiting:
        yield f"it said that {run.error.needed} must stay, but that is {least}"


def _lost(run: Run) -> Iterator[str]:
    """The system prompts and the last user message are sent word for word."""
    for message in must_stay(run.messages):
        texts = [must.text_of(m) for m in run.chat if m["role"] == message.role.value]
        if not texts or not any(message.text.strip() in text for text in texts):
            yield f"{message.role.value} message {message.id} is not sent"


def must_stay(messages: Sequence[Message]) -> list[Message]:
    users = [message for message in messages if message.role is Role.USER]
    return [message for message in messages if message.role is Role.SYSTEM] + users[-1:]


def unanswered(messages: Sequence[Message]) -> list[Message]:
    """The results behind the newest reply, with its calls: they stay, shortened or whole."""
    newest = max((n for n, message in enumerate(messages) if message.role is Role.ASSISTANT), default=0)
    results = [message for message in messages[newest:] if message.role is Role.TOOL]
    return [messages[newest], *results] if results else []


def check(messages: Sequence[Message], counts: TokenCounts, shares: Iterable[float] = SHARES) -> None:
    """Every budget in both manners; all faults are told at once."""
    faults = []
    for manner in MANNERS:
        for share in shares:
            run = Run(messages, share, manner, counts)
            faults += [f"{manner} {share}: {fault}" for fault in faults_of(run)]
    must.have_none(faults)


@pytest.mark.wire
@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
def test_a_real_conversation(file: Path) -> None:
    messages = messages_of(read_jsonl(file.read_bytes()), str)
    check(messages, TokenCounts(tokenizer_for("gpt-4o")))


@pytest.mark.parametrize(
    ("count", "seed"),
    [(100, 1), *(pytest.param(*long, marks=pytest.mark.slow) for long in [(100, 2), (300, 4), (1_000, 5)])],
)
@pytest.mark.long
def test_a_made_up_conversation(count: int, seed: int) -> None:
    check(long_conversation(count, seed), TokenCounts(Letters()))


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [3_000, 10_000])
def test_a_long_conversation(count: int) -> None:
    check(long_conversation(count), TokenCounts(Letters()))


@pytest.fixture(scope="module")
def enormous() -> tuple[list[Message], TokenCounts]:
    return long_conversation(100_000), TokenCounts(Letters())


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("share", SHARES[1::4])  # all ten take four minutes
def test_a_hundred_thousand_messages(enormous: tuple[list[Message], TokenCounts], share: float) -> None:
    check(*enormous, [share])
