from __future__ import annotations

import logging
import random
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from desktop_app.models import tokenizers
from desktop_app.models.tokenizers import (
    CHUNK,
    CL100K,
    EncodingTokenizer,
    TokenizerMissing,
    chunks,
    family_of,
    tokenizer_for,
)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-4o-mini", "o200k"),
        ("GPT-4.1", "o200k"),
        ("openai/gpt-5", "o200k"),
        ("o3-mini", "o200k"),
        ("gpt-oss:20b", "o200k"),
        ("gpt-4", "cl100k"),
        ("GPT-4-Turbo", "cl100k"),
        ("gpt-3.5-turbo", "cl100k"),
        ("builtin", "smollm2"),
        ("HuggingFaceTB/SmolLM2-135M", "smollm2"),
        ("anthropic/Claude-Sonnet-4.5", "o200k (estimate for claude)"),
        ("gemini-2.5-pro", "o200k (estimate for gemini)"),
        ("Qwen3-8B", "o200k (estimate for qwen)"),
        ("meta-llama/Llama-3.1-8B", "o200k (estimate for llama-3)"),
        ("llama2:7b", "o200k (estimate for llama-2)"),
        ("mixtral-8x7b", "o200k (estimate for mistral)"),
        ("something-else", "o200k (estimate for an unknown family)"),
    ],
)
def test_the_family_is_read_from_the_name(model: str, name: str) -> None:
    assert tokenizer_for(model).name == name


def test_a_family_is_loaded_once() -> None:
    assert tokenizer_for("claude-a") is tokenizer_for("claude-b")
    assert family_of("claude-a") == "claude"


@pytest.mark.parametrize(
    ("model", "text", "tokens"),
    [
        # Published in OpenAI's cookbook, "How to count tokens with tiktoken".
        ("gpt-4o", "antidisestablishmentarianism", 6),
        ("gpt-4", "antidisestablishmentarianism", 6),
        ("gpt-4o", "2 + 2 = 4", 7),
        ("gpt-4", "2 + 2 = 4", 7),
        ("gpt-4o", "お誕生日おめでとう", 8),
        ("gpt-4", "お誕生日おめでとう", 9),
        ("gpt-4o", "", 0),
    ],
)
def test_published_counts(model: str, text: str, tokens: int) -> None:
    assert tokenizer_for(model).count(text) == tokens


def test_special_tokens_are_plain_text() -> None:
    for model in ("gpt-4o", "gpt-4", "builtin"):
        assert tokenizer_for(model).count("<|endoftext|>") > 1


def test_the_overhead_of_a_message() -> None:
    assert tokenizer_for("gpt-4o").overhead.message == 4
    assert tokenizer_for("mistral-small").overhead.message == 5


MEGABYTE = 1_000_000
PATHOLOGICAL = {
    "one letter": "a" * 100_000,
    "a megabyte without a space": "".join(random.Random(1).choices("abcdefXYZ0123456789+/", k=MEGABYTE)),
    "spaces": " " * MEGABYTE,
    "newlines": "\n" * MEGABYTE,
    "one sign": "=" * MEGABYTE,
    "emoji": "\U0001f600" * 200_000,
    "Chinese": "中" * 300_000,
    "lone surrogates": "\ud800x\udfff" * 50_000,
    "controls": "\x00\x01\x04\x1b" * 100_000,
    "joined emoji": "👩‍👩‍👧" * 50_000,
}


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4", "builtin"])
@pytest.mark.parametrize("text", PATHOLOGICAL.values(), ids=PATHOLOGICAL.keys())
def test_no_text_makes_it_raise_or_hang(model: str, text: str) -> None:
    tokenizer = tokenizer_for(model)
    tokenizer.count("loaded before the clock starts")
    started = time.thread_time()  # of this thread: the machine may be busy
    tokens = tokenizer.count(text)
    assert time.thread_time() - started < 2.0
    assert 0 < tokens <= 4 * len(text)


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4", "builtin"])
def test_long_text_counts_as_if_it_were_not_cut(model: str) -> None:
    tokenizer = tokenizer_for(model)
    tokenizer.count("")
    assert isinstance(tokenizer, EncodingTokenizer)
    whole = tokenizer._loaded()
    words = ["word", "Ab", "123", "'s", "/", "...", "中文", "é", "x=", "\t", "\n", "\n\n", " ", "  ", "\r\n", "\u00a0"]
    for seed in range(20):
        text = " ".join(random.Random(seed).choices(words, k=6_000))
        assert tokenizer.count(text) == len(whole.encode_ordinary(text))


def test_chunks_are_the_text() -> None:
    text = "".join(random.Random(7).choices("ab \n/", k=5 * CHUNK)) + "x" * 3 * CHUNK
    pieces = list(chunks(text))
    assert "".join(pieces) == text
    assert max(map(len, pieces)) <= CHUNK


def test_it_is_loaded_once_when_many_threads_ask() -> None:
    loads: list[None] = []

    def load() -> tokenizers.Encoding:
        loads.append(None)
        time.sleep(0.02)  # long enough for the others to arrive
        return tokenizers.CharacterEncoding()

    tokenizer = EncodingTokenizer("slow", 4, load)
    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(tokenizer.count, ["abcdef"] * 8)) == {2}
    assert len(loads) == 1


def test_a_tokenizer_that_fails_falls_back_and_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    def load() -> tokenizers.Encoding:
        raise TokenizerMissing("the file is gone")

    tokenizer = EncodingTokenizer("o200k", 4, load)
    with caplog.at_level(logging.WARNING):
        assert tokenizer.count("twelve bytes") == 4
        assert tokenizer.count("中") == 1
        assert tokenizer.count("\ud800") == 1
    assert tokenizer.name == "characters (estimate for o200k)"
    assert [record.message.count("the file is gone") for record in caplog.records] == [1]


def test_the_environment_and_litellm_s_module_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "/nowhere")
    assert tokenizers._load_published(CL100K).encode_ordinary("hello") == [15339]
