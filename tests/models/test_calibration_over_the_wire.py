"""After ten calibrated turns the estimate is within 2 % of what each kind of server reports (C5), however it counts."""

from __future__ import annotations

import random
import statistics

import pytest

from desktop_app.chat.ports import ReplyEnd, TextPiece
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.calibration import prior
from desktop_app.context.counting.reports import calibration_of
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.presets import BALANCED
from desktop_app.context.view.view import assemble, view_of
from desktop_app.conversation.chain import Chain
from desktop_app.conversation.message import Message, Role, Text, ToolCall, ToolResult, Usage, user_message
from desktop_app.conversation.transcript import Transcript
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.litellm_model import LiteLLMModel
from desktop_app.models.tokens.tokenizers import tokenizer_for
from kinds_of_server import EACH, Kind
from provider import Reply, Windowed

TEXT = "the report says that rain fell on 12 of 30 days; see `weather.py`, line 48: if mm > 0.5 {count += 1} über 北京"
WORDS = TEXT.split(" ")

pytestmark = pytest.mark.slow


def some_text(seed: int, words: int) -> str:
    chance = random.Random(seed)
    return " ".join(chance.choice(WORDS) for _ in range(words))


def turn(number: int) -> list[Message]:
    """A tool's call with its result, said in an earlier turn, and the user's next question."""
    call = ToolCall(f"call_{number}", "read", f'{{"path": "notes/{number}.md"}}')
    messages: list[Message] = []
    if number:
        messages.append(Message(role=Role.ASSISTANT, parts=(Text(some_text(number + 50, 20)), call)))
        result = ToolResult(call.call_id, "read", some_text(number + 100, 400))
        messages.append(Message(role=Role.TOOL, parts=(result,)))
        messages.append(Message(role=Role.ASSISTANT, parts=(Text(some_text(number + 200, 60)),)))
    return [*messages, user_message(some_text(number, 150))]


async def reply_to(model: LiteLLMModel, messages: list[Message]) -> tuple[str, Usage]:
    pieces = [piece async for piece in model.stream(messages, 200)]
    end = pieces[-1]
    assert isinstance(end, ReplyEnd)
    assert end.usage is not None
    return "".join(piece.text for piece in pieces if isinstance(piece, TextPiece)), end.usage


async def errors_of(kind: Kind, litellm: LiteLLM, factor: float, turns: int) -> list[float]:
    """The relative error of each turn's estimate, made before its request went out."""
    script = Windowed(200_000, lambda _: Reply(some_text(7, 40)), count=tokenizer_for(kind.model).count, factor=factor)
    errors: list[float] = []
    with kind.provider() as provider:
        provider.script = script
        model = kind.model_at(provider, litellm, window=200_000)
        counts, said = TokenCounts(model.tokenizer), list[Message]()
        for number in range(turns):
            said += turn(number)
            said = [m if m.id else _stamped(m, f"{number}-{place}") for place, m in enumerate(said)]
            transcript = Transcript(Chain(said))
            view = view_of(transcript)
            name = model.info.record_name
            learned = calibration_of(transcript, view, counts, name, BALANCED, prior(model.tokenizer.name, name))
            estimated = learned.of_request(request_tokens(view, counts), len(view.items), BALANCED)
            text, usage = await reply_to(model, assemble(view))
            errors.append(abs(estimated / usage.prompt_tokens - 1))
            reply = Message(id=f"r{number}", role=Role.ASSISTANT, parts=(Text(text),), usage=usage, model=name)
            said.append(reply)
    return errors


def _stamped(message: Message, name: str) -> Message:
    return Message(id=name, role=message.role, parts=message.parts)


@pytest.mark.parametrize("factor", [0.8, 1.28])
@pytest.mark.parametrize("kind", **EACH)
async def test_after_ten_turns_the_estimate_is_within_two_percent(kind: Kind, litellm: LiteLLM, factor: float) -> None:
    errors = await errors_of(kind, litellm, factor, 14)
    assert max(errors[11:]) < 0.02, errors
    assert statistics.mean(errors[:2]) > 0.05, "else there was nothing to learn"


@pytest.mark.parametrize("kind", **EACH)
async def test_a_server_that_counts_as_we_do_is_met_from_the_first_turn_on(kind: Kind, litellm: LiteLLM) -> None:
    errors = await errors_of(kind, litellm, 1.0, 3)
    assert max(errors) < 0.06, errors
