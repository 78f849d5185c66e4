"""Quirks of a chat template as llama.cpp reports them: its own analysis, and the prompt it makes of a sample. Pure.

`/props` says whether a template knows calls, several calls and a system prompt. It does not say whether the template
drops the text of a reply with calls, as Llama 3, Mistral Nemo and Hermes do (seen with llama.cpp b11549).
"""

from __future__ import annotations

from typing import Any, cast

from desktop_app.conversation import quirks
from desktop_app.conversation.openai_chat import Json


def quirks_of_caps(caps: Any) -> tuple[str, ...]:
    """Return the quirks of a chat template that llama.cpp has analysed."""
    known = cast("Json", caps) if isinstance(caps, dict) else {}
    refused = {
        quirks.NO_SYSTEM: known.get("supports_system_role") is False,
        quirks.CALLS_AS_TEXT: known.get("supports_tool_calls") is False,
        quirks.ONE_CALL: known.get("supports_parallel_tool_calls") is False,
    }
    return tuple(quirk for quirk, is_refused in refused.items() if is_refused)


BESIDE, RETURNED = "besidethecall", "whatthecallreturned"
"""Words in the text of a reply with a call, and in the call's result."""


def template_sample(model: str) -> Json:
    """Return a conversation with a call, which the server fills its template with."""
    call = {"id": "call00001", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": BESIDE, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call00001", "name": "look", "content": RETURNED},
    ]
    return {"model": model, "messages": messages}


def quirks_of_prompt(answer: Any) -> tuple[str, ...]:
    """Return what a template drops, by the prompt that it makes of `template_sample`."""
    prompt = cast("Json", answer).get("prompt") if isinstance(answer, dict) else None
    if not isinstance(prompt, str):
        return ()
    if RETURNED not in prompt:
        return (quirks.CALLS_AS_TEXT,)
    return () if BESIDE in prompt else (quirks.TEXT_WITH_RESULT,)
