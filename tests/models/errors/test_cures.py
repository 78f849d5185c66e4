"""Refusals that say what the server wants, in the words of servers of 2024 to 2026, and ones that do not."""

from __future__ import annotations

from typing import Any

import pytest

from desktop_app.conversation import quirks
from desktop_app.models.errors.cures import cure_of
from refused_forms import REFUSALS

CALL = {"id": "1", "type": "function", "function": {"name": "list", "arguments": "{}"}}
OTHER = CALL | {"id": "2"}
ROUND = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Which files?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL, OTHER], "reasoning_content": "Two."},
    {"role": "tool", "tool_call_id": "1", "content": "a"},
    {"role": "tool", "tool_call_id": "2", "content": "b"},
    {"role": "user", "content": "And now?"},
]
REQUEST: dict[str, Any] = {
    "messages": ROUND,
    "max_tokens": 100,
    "stream": True,
    "stream_options": {"include_usage": True},
    "temperature": 0.3,
    "top_p": 0.9,
    "reasoning_effort": "low",
    "tools": [{}],
}
NEWER = {name: value for name, value in REQUEST.items() if name != "max_tokens"} | {"max_completion_tokens": 100}


@pytest.mark.parametrize(("error", "quirk"), REFUSALS, ids=[error[:40] for error, _ in REFUSALS])
def test_a_refusal_implies_the_form_that_its_server_wants(error: str, quirk: str) -> None:
    assert cure_of("unsupported", error, REQUEST, ()) == quirk
    assert cure_of("unsupported", error, REQUEST, (quirk,)) != quirk


def test_a_newer_name_of_a_field_is_replaced_by_the_older_one() -> None:
    error = "Unrecognized request argument supplied: max_completion_tokens"
    assert cure_of("provider", error, NEWER, ()) == quirks.MAX_TOKENS


def test_what_is_still_refused_is_written_in_a_simpler_form() -> None:
    alternate, single = "Conversation roles must alternate", "This model only supports single tool-calls at once!"
    assert cure_of("malformed", alternate, REQUEST, (quirks.ALTERNATING,)) == quirks.NO_SYSTEM
    assert cure_of("malformed", single, REQUEST, (quirks.ONE_CALL,)) == quirks.CALLS_AS_TEXT
    assert cure_of("malformed", alternate, REQUEST, (quirks.ALTERNATING, quirks.NO_SYSTEM)) == ""


OTHERS = [
    "max_tokens is too large: 32000. This model supports at most 16384 completion tokens.",
    "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens",
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
    "tools.0.custom.input_schema: JSON schema is invalid",
    "Invalid 'tools[0].function.name': string does not match pattern. Unsupported value.",
    "Invalid 'tools': array too long. Expected an array with maximum length 128.",
    "The model `m` does not exist",
    "messages.1.content.0: `tool_use` ids were found without `tool_result` blocks immediately after",
    "Could not process image",
    "Internal server error",
]


@pytest.mark.parametrize("error", OTHERS)
def test_other_refusals_imply_no_form(error: str) -> None:
    assert cure_of("provider", error, REQUEST, ()) == ""


def test_what_the_request_does_not_contain_is_not_cured() -> None:
    plain: dict[str, Any] = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 5}
    for error, quirk in REFUSALS:
        if quirk not in (quirks.MAX_COMPLETION_TOKENS, quirks.ALTERNATING):
            assert cure_of("unsupported", error, plain, ()) == "", error


@pytest.mark.parametrize("kind", ["overflow", "rate_limit", "quota", "auth", "content_filter", "timeout", "connection"])
def test_other_kinds_of_error_are_not_cured(kind: Any) -> None:
    assert cure_of(kind, "Unknown field: stream_options", REQUEST, ()) == ""
