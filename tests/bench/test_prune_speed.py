"""How long the decision on a prune takes when the messages' counts are kept, in CPU time: the machine is shared."""

from __future__ import annotations

import time

import pytest
from msgspec.structs import replace
from test_compact_speed import TOKENIZER, session

from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.policy import BALANCED, Budget
from desktop_app.context.prune.strategies import plan_prune
from desktop_app.context.view.view import view_of
from desktop_app.conversation.message import Message, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.transcript import Chain, Transcript, Trigger

SECONDS = 0.15
"""At 10,000 messages, or 2,500 results of 4,000 characters: 0.03 to 0.05 s on one of two slow cores, and twice that
while other work shares it."""
ALL_OF_IT = replace(BALANCED, prune_target=0.0, min_prune=0)


def agent_session(reads: int, files: int) -> list[Message]:
    """A request, and results of 4,000 characters, each read by a call of its own."""
    messages = [Message(id="u", role=Role.USER, parts=(Text("Go through all of it."),))]
    for n in range(reads):
        call = ToolCall(f"c{n}", "read", f'{{"path": "src/module_{n % files}.py"}}')
        text = "".join(f"    value_{n}_{k} = compute({k}, rate={n})\n" for k in range(130))[:4_000]
        messages.append(Message(id=f"a{n}", role=Role.ASSISTANT, parts=(Text(f"Now number {n}."), call)))
        messages.append(Message(id=f"t{n}", role=Role.TOOL, parts=(ToolResult(call.call_id, "read", text),)))
    for n in range(2):
        messages.append(Message(id=f"x{n}", role=Role.ASSISTANT, parts=(Text("Done."),)))
        messages.append(Message(id=f"y{n}", role=Role.USER, parts=(Text("Go on."),)))
    return messages


def seconds_to_decide(messages: list[Message]) -> float:
    """CPU seconds of the best of five decisions that prune all that can be pruned."""
    view, counts = view_of(Transcript(Chain(messages))), TokenCounts(TOKENIZER)
    total = request_tokens(view, counts)
    times: list[float] = []
    for _ in range(5):
        started = time.process_time()
        prune = plan_prune(view, ALL_OF_IT, Budget(total, 0), counts, total, Trigger.USER)
        times.append(time.process_time() - started)
        assert prune is not None
        assert prune.tokens_after < 0.95 * total
    return min(times)


@pytest.mark.slow
@pytest.mark.parametrize(
    "messages",
    [session(10_000), agent_session(2_500, 2_500), agent_session(2_500, 300)],
    ids=["talk", "reads", "reads of few files"],
)
def test_the_decision_takes_no_time_that_anybody_notices(messages: list[Message]) -> None:
    assert seconds_to_decide(messages) < SECONDS
