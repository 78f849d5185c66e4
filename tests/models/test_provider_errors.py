from __future__ import annotations

import pytest

from desktop_app.models.provider_errors import Where, error_of_status, is_overflow, shown

WHERE = Where("Server", "http://x/v1", "model", key="verysecret")


@pytest.mark.parametrize(
    "text",
    [
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        "context_length_exceeded",
        "request (9026 tokens) exceeds the available context size (8192 tokens), try increasing it",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "Input is too long for requested model.",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
        "Please reduce the length of the messages or completion.",
        "Trying to keep the first 9000 tokens when context overflows; the number of tokens to keep from the initial "
        "prompt is greater than the context length",
        "Your request exceeded model token limit: 131072",
        "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
        "prompt token count of 140000 exceeds the limit: the context window exceeds limit",
        "`inputs` tokens + `max_new_tokens` must be <= 4096",
        "Context size has been exceeded.",
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
        "The prompt does not fit into the context",
    ],
)
def test_wordings_of_an_overflow(text: str) -> None:
    assert is_overflow(400, text)
    assert is_overflow(0, text)


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (429, "Request too large: maximum context length"),
        (400, "You exceeded your current quota, please check your plan and billing details; context length exceeded"),
        (400, "Rate limit reached: too many tokens in one request per minute"),
        (402, "insufficient credit for the context length"),
        (401, "maximum context length"),
        (400, "temperature is too large"),
        (500, "internal error"),
        (413, "file too big for this plan"),
    ],
)
def test_what_is_not_an_overflow(status: int, text: str) -> None:
    assert not is_overflow(status, text)


def test_a_413_without_a_word_is_one() -> None:
    assert is_overflow(413, "")


def test_keys_are_cut_out_of_what_is_shown() -> None:
    said = "Bad key verysecret, sk-abcdef123456 and Bearer eyJhbGciOiJI"
    text = shown(said, WHERE)
    assert "verysecret" not in text
    assert "abcdef123456" not in text
    assert "eyJhbGci" not in text
    assert "verysecret" not in repr(WHERE)


def test_what_a_server_says_is_shortened() -> None:
    assert len(error_of_status(WHERE, 500, "x\n" * 10_000).failure.detail) < 500


def test_many_models_on_offer_are_not_all_listed() -> None:
    advice = error_of_status(WHERE, 404, "no such model", tuple(f"m{n}" for n in range(20))).failure.advice
    assert "m7 and 12 more" in advice
