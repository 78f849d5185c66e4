"""Refusals that say what the server wants, in the words of servers of 2024 to 2026, with the quirk that they imply."""

from __future__ import annotations

from desktop_app.conversation import quirks

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
    (
        "Tool call id was call00000 but must be a-z, A-Z, 0-9, with a length of 9.",
        quirks.SHORT_IDS,
    ),
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
