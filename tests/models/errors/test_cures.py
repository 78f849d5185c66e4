"""Refusals that say what the server wants, in the words of servers of 2024 to 2026, and ones that do not."""

from __future__ import annotations

from typing import Any

import pytest

from desktop_app.conversation import quirks
from desktop_app.models.errors.cures import cure_of

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

REFUSALS = [
    # OpenAI and Azure, o-series and later
    (
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        quirks.MAX_COMPLETION_TOKENS,
    ),
    (
        "this model is not supported MaxTokens, please use MaxCompletionTokens. max_tokens: max_completion_tokens",
        quirks.MAX_COMPLETION_TOKENS,
    ),
    (
        "Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) is supported.",
        "without temperature",
    ),
    ("Unsupported parameter: 'top_p' is not supported with this model.", "without top_p"),
    ("`temperature` and `top_p` cannot both be specified for this model. Please use only one.", "without top_p"),
    ("`temperature` is deprecated for this model.", "without temperature"),
    ("invalid temperature: only 1 is allowed for this model", "without temperature"),
    ("temperature may not be set for this model", "without temperature"),
    ("Unrecognized request argument supplied: reasoning_effort", "without reasoning_effort"),
    # FastAPI, Databricks, Mistral
    (
        '{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are forbidden"}]}',
        "without stream_options",
    ),
    ("Unknown field: stream_options", "without stream_options"),
    ("stream_options: Extra inputs are not permitted", "without stream_options"),
    ('Invalid JSON payload received. Unknown name "stream_options": Cannot find field.', "without stream_options"),
    # Chat templates: Gemma 3, Mistral 7B, Gemma 2, Llama 3.x
    ("Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...", quirks.ALTERNATING),
    (
        "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
        quirks.ALTERNATING,
    ),
    ('Error rendering prompt with jinja template: "System role not supported"', quirks.NO_SYSTEM),
    ("Developer instruction is not enabled for models/gemma-3-27b-it", quirks.NO_SYSTEM),
    ("This model only supports single tool-calls at once!", quirks.ONE_CALL),
    ("Only user and assistant roles are supported!", quirks.NO_SYSTEM),
    ("Unsupported role: tool", quirks.CALLS_AS_TEXT),
    ("messages[3].role: unknown variant `tool`, expected one of `system`, `user`, `assistant`", quirks.CALLS_AS_TEXT),
    ("Unexpected role 'user' after role 'tool'", quirks.NO_USER_AFTER_TOOL),
    # Tools
    ("registry.ollama.ai/library/gemma3:4b does not support tools", quirks.NO_TOOLS),
    ('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', quirks.NO_TOOLS),
    ("tools is not supported in this model", quirks.NO_TOOLS),
    ('No endpoints found that support tool use. Try disabling "list".', quirks.NO_TOOLS),
    ("Function calling is not enabled for models/gemma-3-27b-it", quirks.NO_TOOLS),
    # Reasoning: DeepSeek, Kimi, MiMo; Groq, Mistral
    ("The `reasoning_content` in the thinking mode must be passed back to the API.", quirks.ALL_REASONING),
    (
        "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
        quirks.ALL_REASONING,
    ),
    ("Missing `reasoning_content` field in the assistant message at message index 1", quirks.ALL_REASONING),
    (
        "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property "
        "'reasoning_content' is unsupported)]",
        quirks.NO_REASONING,
    ),
    ("messages.2.assistant.reasoning_content: Extra inputs are not permitted", quirks.NO_REASONING),
    ("Function call is missing a thought_signature in functionCall parts.", quirks.SIGNATURES),
]


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
