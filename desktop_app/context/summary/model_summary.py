"""Prepare and check a summary by a model, limit how many are requested (K3), and build the compaction. Pure.

draft_of(...)         -> the input for the model, part by part, and the facts that the summary is checked for
faults_of(...)        -> the faults of a page: too long, or rules and open questions lost (K7)
build_compaction(...) -> the compaction with the page, its lost facts restored, without the messages to keep

The spend guard bounds the cost of repeated automatic compactions: after `max_spend` requests that the user did not
make within `spend_seconds`, summaries are written without a model until the oldest request is that long ago.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from msgspec.structs import replace

from desktop_app.context.compact.compaction import (
    LAST_RESORT_MESSAGES,
    TURN_HEADING,
    CompactionPlan,
    compaction_of,
    plan_compaction,
    recorded_messages,
    split_turn_index,
)
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.ledger.ledger import ledger_of
from desktop_app.context.ledger.message_facts import Reading
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.view.view import View
from desktop_app.conversation.memory import Ledger
from desktop_app.conversation.message import Message, ProviderSummary, Usage
from desktop_app.conversation.transcript import Compaction, StandingSummary, Transcript, Trigger

from .prompt import (
    AROUND,
    MessagePiece,
    Prompts,
    SummaryTask,
    fold_question_for,
    names_of,
    parts_of,
    question_for,
    texts_of_part,
)
from .restore_facts import restore_facts, restore_names, restore_rules
from .summary_reply import WrittenSummary, join_pages, says_enough

ASKED_SHARE = 0.80
"""Share of the summary's budget: models exceed the requested length by a tenth, and lost facts are restored."""
FACTS_SHARE = 0.60
"""Share of the summary's budget for sentences that the model must copy."""
KEPT_SHARE = 0.05
"""Share of the usable window for messages that the model wants to keep."""
MAX_INPUT_RESULT = 1_800
"""Characters of a tool result in the input of the summarizing model (document 3)."""
MIN_REPLY = 4_000
"""Minimum reply tokens for a summary: some models think first."""
MAX_REPLY_SHARE = 0.3333
"""Share of the summarizing model's window for its reply."""
SIDE_REQUEST_SHARE = 0.90
"""Share of the space in a request for a summary or memories that is used, because its tokens are estimated."""
SIDE_REQUEST_SHARE_AGAIN = 0.60
"""The share after a provider refused the request as too long: Claude counts a quarter more tokens than the estimate,
and a server may have a smaller window than it reports."""

REPLY_AROUND = 500
"""Tokens that JSON adds to the page."""
MIN_PAGE = 40
"""Tokens."""

LAST_MESSAGES_PAGE = "The earlier messages were archived without a summary."


class Draft(msgspec.Struct, frozen=True):
    """The input and limits of a summary to be written."""

    plan: CompactionPlan
    head: tuple[Message, ...]
    ledger: Ledger
    """Facts of the head and of earlier archived messages."""
    earlier: str
    """The summary that is merged into the new one, or ""."""
    wanted: SummaryTask
    names: dict[str, str]
    parts: tuple[tuple[MessagePiece, ...], ...]
    """Empty if the messages do not fit into the model's window."""
    max_reply: int
    """Maximum tokens of one reply."""
    question: str = ""
    """Asks for the summary behind the conversation's own request; "" if the prompts have no such question."""

    @property
    def pieces(self) -> tuple[MessagePiece, ...]:
        """The messages of all parts."""
        return tuple(piece for part in self.parts for piece in part)

    def tasks(self) -> list[SummaryTask]:
        """Return the task of each part: its share of the length, and the sentences of its own messages.

        A sentence that no part contains, such as one of the earlier summary, belongs to the first part.
        """
        sizes = [sum(piece.tokens for piece in part) for part in self.parts]
        if len(sizes) < 2:
            return [self.wanted] * len(sizes)
        if self.earlier:  # it is carried over by the first part
            sizes[0] += sum(sizes) // len(sizes)
        budgets = [max(self.wanted.budget * size // max(sum(sizes), 1), MIN_PAGE) for size in sizes]
        musts: list[list[str]] = [[] for _ in self.parts]
        texts = ["\n".join(piece.text for piece in part) for part in self.parts]
        for must in self.wanted.musts:
            sentence = must.strip()
            musts[next((index for index, text in enumerate(texts) if sentence in text), 0)].append(must)
        pairs = zip(budgets, musts, strict=True)
        return [replace(self.wanted, budget=budget, musts=tuple(own)) for budget, own in pairs]


class Estimate(msgspec.Struct, frozen=True):
    """Upper bounds for writing a summary, over all calls."""

    calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    cached_tokens: int = 0
    """Of the prompt, read from the provider's cache."""
    cache_written_tokens: int = 0
    """Of the prompt, written into it."""

    @property
    def usage(self) -> Usage:
        """The usage that these bounds amount to."""
        return Usage(self.prompt_tokens, self.reply_tokens, self.cached_tokens, self.cache_written_tokens)


def draft_of(
    plan: CompactionPlan,
    transcript: Transcript,
    view: View,
    prompts: Prompts,
    instructions: str,
    window: int,
    max_output: int,
    counts: TokenCounts,
    count: Callable[[str], int],
    is_too_long: bool = False,
    standing: StandingSummary | None = None,
) -> Draft:
    """Return the draft for a model with the given window. count: in the model's tokens. max_output: 0 if unknown.

    is_too_long: whether the provider has refused an earlier draft as too long. standing: the summary that the plan's
    messages follow, and to which the model's is only added; None to write a whole one.
    """
    head = recorded_messages(plan.archived, transcript)
    earlier = view.summary.summary if view.summary and standing is None else ""
    known = view.ledger if standing is None else Ledger()
    ledger = ledger_of(head, known, turn_at=split_turn_index(plan, transcript))
    budget = round(plan.summary_budget * ASKED_SHARE)
    copied = round(plan.summary_budget * FACTS_SHARE)
    musts = _listed(restore_facts("", head, ledger, copied, counts.text))
    wanted = SummaryTask(prompts, budget, tuple(musts), instructions)
    max_reply = max(2 * budget + REPLY_AROUND, MIN_REPLY)
    max_reply = min(max_reply, round(window * MAX_REPLY_SHARE), max_output or window)
    overhead = sum(map(count, (prompts.summary, prompts.merge, prompts.turn, prompts.form, prompts.form, instructions)))
    carried = count("\n".join(musts)) + max(count(earlier), budget)
    room = round((window - max_reply - overhead - carried) * _safe_share(is_too_long))
    turn_at = split_turn_index(plan, transcript) or len(head)
    parts = parts_of(head, turn_at, room, count, MAX_INPUT_RESULT)
    question = question_for(head, turn_at, bool(earlier), wanted) if head and prompts.ride else ""
    if head and standing is not None:
        before = recorded_messages(standing.message_ids[-1:], transcript)[0]
        question = fold_question_for(before, head, standing.summary, wanted)
    return Draft(plan, tuple(head), ledger, earlier, wanted, names_of(head), parts, max_reply, question)


def _safe_share(is_too_long: bool) -> float:
    return SIDE_REQUEST_SHARE_AGAIN if is_too_long else SIDE_REQUEST_SHARE


def estimate_of(draft: Draft, count: Callable[[str], int]) -> Estimate:
    """Return the tokens of all calls for the parts, without a repair, with replies of the maximum length."""
    prompts, wanted = draft.wanted.prompts, draft.wanted
    overhead = sum(map(count, (prompts.summary, prompts.form, prompts.form, wanted.instructions)))
    calls = len(draft.parts)
    carried = count(draft.earlier) + sum(map(count, wanted.musts))
    asked = sum(piece.tokens for piece in draft.pieces) + calls * overhead + carried
    return Estimate(calls, asked, calls * draft.plan.summary_budget)


THOUGHTS = 8_192
"""Tokens added to the reply's limit if the conversation asks for reasoning: twice the longest budget of thoughts. With
less, the budget would be cut, and another budget is another prefix for Anthropic."""


class OwnRequest(msgspec.Struct, frozen=True):
    """Figures of the conversation's own request, which its provider has just read."""

    total: int
    """In the model's own tokens."""
    cached: int
    """Of them, in the provider's cache."""
    window: int
    factor: float = 1.0
    """The model's own tokens for one token as the app counts it."""
    is_reasoning: bool = False
    """Whether the conversation sets how much the model reasons."""


def ride_reply(draft: Draft, own: OwnRequest, count: Callable[[str], int]) -> int:
    """Return the reply's limit in tokens if the question is asked behind the conversation's own request.

    0 if the request, the question and the summary do not fit into the window together, or there is no question.
    """
    if not draft.question:
        return 0
    thoughts = THOUGHTS if own.is_reasoning else 0
    room = own.window - own.total - question_tokens(draft, own, count) - thoughts
    needed = round((2 * draft.wanted.budget + REPLY_AROUND) * own.factor)
    return min(max(draft.max_reply, needed), room) + thoughts if room >= needed else 0


def question_tokens(draft: Draft, own: OwnRequest, count: Callable[[str], int]) -> int:
    """Return the question's tokens in the model's own tokens."""
    return round((count(draft.question) + AROUND) * own.factor)


def estimate_of_ride(draft: Draft, own: OwnRequest, count: Callable[[str], int]) -> Estimate:
    """Return the tokens of the call that asks behind the conversation's own request.

    What is not in the provider's cache is written into it, as every request of a conversation is.
    """
    prompt = own.total + question_tokens(draft, own, count)
    cached = min(own.cached, own.total)
    return Estimate(1, prompt, draft.plan.summary_budget, cached, prompt - cached)


def page_of(written: WrittenSummary) -> str:
    """Return the summary followed by the part about the current turn, as in the extractive summary."""
    return f"{written.summary}\n\n{TURN_HEADING}\n\n{written.turn}" if written.turn else written.summary


def join_written(written: Sequence[WrittenSummary]) -> WrittenSummary:
    """Return the summaries of successive parts as one."""
    keep = dict.fromkeys(name for each in written for name in each.keep)
    turn = "\n\n".join(each.turn for each in written if each.turn)
    is_formed = all(each.is_formed for each in written)
    return WrittenSummary(join_pages([each.summary for each in written]), turn, tuple(keep), is_formed)


def says_enough_of_part(written: WrittenSummary, part: Sequence[MessagePiece], earlier: str, prompts: Prompts) -> bool:
    """Return whether the reply is a summary of the part and of the earlier summary, judged by its words."""
    ours = "\n".join([prompts.summary, prompts.merge, prompts.turn, prompts.form, prompts.ride])
    return says_enough(page_of(written), texts_of_part(part, earlier), ours, written.is_formed)


def faults_of(page: str, draft: Draft, counts: TokenCounts) -> list[str]:
    """Return the faults of the page, each as a sentence for the model."""
    tokens = counts.text(page)
    most = draft.plan.summary_budget
    faults = [f"It has {tokens} tokens, and may have {draft.wanted.budget}: shorten it."] if tokens > most else []
    restored = restore_facts(page, draft.head, draft.ledger)
    present = set(_listed(page))
    return faults + [f"This is missing, word for word: {line}" for line in _listed(restored) if line not in present]


def _listed(page: str) -> list[str]:
    return [line[2:] for line in page.splitlines() if line.startswith("- ")]


def build_compaction(
    page: str,
    keep: Sequence[str],
    draft: Draft,
    transcript: Transcript,
    view: View,
    policy: ContextPolicy,
    budget: Budget,
    counts: TokenCounts,
    model: str,
    strategy: str = "llm",
    by_provider: ProviderSummary | None = None,
) -> Compaction | None:
    """Return the compaction with the page and as many of its lost facts as fit. None if it frees nothing."""
    page = restore_rules(page, draft.head, draft.ledger, draft.plan.summary_budget, counts.text)
    page = restore_names(page, draft.ledger, draft.plan.summary_budget, counts.text)
    plan = _plan_that_keeps(keep, draft.plan, view, policy, budget, counts)
    return compaction_of(plan, transcript, view, counts, page, strategy, model, by_provider=by_provider)


def _plan_that_keeps(
    keep: Sequence[str], plan: CompactionPlan, view: View, policy: ContextPolicy, budget: Budget, counts: TokenCounts
) -> CompactionPlan:
    """Return the plan without the messages that the model asked to keep: the first ones, as many as fit.

    The tail is not changed: no plan may archive messages that the page does not summarise.
    """
    room = max(round(budget.usable * policy.target) - plan.projected, round(budget.usable * KEPT_SHARE))
    for most in range(len(keep), 0, -1):
        other = plan_compaction(view, policy, budget, counts, plan.total, plan.trigger, plan.tail, keep[:most])
        if other and set(other.archived) < set(plan.archived) and other.projected <= plan.projected + room:
            return replace(other, summary_budget=plan.summary_budget)
    return plan


def plan_last_messages(
    view: View, policy: ContextPolicy, budget: Budget, counts: TokenCounts, total: int, trigger: Trigger
) -> CompactionPlan | None:
    """Return the plan that archives all but the last `LAST_RESORT_MESSAGES` (K5); None if that frees nothing."""
    last = [item.message for item in list(view.items)[-LAST_RESORT_MESSAGES:]]
    return plan_compaction(view, policy, budget, counts, total, trigger, sum(map(counts.total, last)))


def compact_to_last_messages(
    plan: CompactionPlan, transcript: Transcript, view: View, counts: TokenCounts, reading: Reading | None = None
) -> Compaction | None:
    """Return a compaction without a summary, with as many of the rules and open questions as fit."""
    head = recorded_messages(plan.archived, transcript)
    ledger = ledger_of(head, view.ledger, reading, split_turn_index(plan, transcript))
    page = restore_facts(LAST_MESSAGES_PAGE, head, ledger, plan.summary_budget, counts.text)
    page = restore_names(page, ledger, plan.summary_budget, counts.text)
    return compaction_of(plan, transcript, view, counts, page, "last_messages", reading=reading)


class Spending(msgspec.Struct, frozen=True):
    """Times of the requests for summaries that the user did not make."""

    times: tuple[float, ...] = ()
    """Seconds since 1970, oldest first."""

    def after(self, now: float, policy: ContextPolicy) -> Spending:
        """Return the times with `now` added and expired ones removed."""
        return Spending((*self._counting(now, policy), now))

    def paused_until(self, now: float, policy: ContextPolicy) -> float | None:
        """Return the time of the next possible request; None if that is now, or if the policy has no limit (0)."""
        counting = self._counting(now, policy)
        if not policy.max_spend or len(counting) < policy.max_spend:
            return None
        return counting[-policy.max_spend] + policy.spend_seconds

    def _counting(self, now: float, policy: ContextPolicy) -> tuple[float, ...]:
        # A time in the future means that the clock was set back, and would pause for that long.
        return tuple(time for time in self.times if now - policy.spend_seconds < time <= now)
