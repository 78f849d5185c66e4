from __future__ import annotations

import logging
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from desktop_app.context.counting.tokens import Overhead
from desktop_app.models.tokens import tokenizers
from desktop_app.models.tokens.encoding import CHUNK, Count, CountingMethod, FamilyTokenizer, TokenizerMissing, chunks
from desktop_app.models.tokens.estimate import family_of
from desktop_app.models.tokens.tokenizers import (
    CL100K,
    SOURCES,
    InstalledFile,
    load_published,
    tokenizer_for,
    tokenizer_of,
)

FAMILIES = {
    "o200k": "gpt-4o-mini GPT-4.1 openai/gpt-5 o3-mini gpt-oss:20b codex-mini-latest chatgpt-4o-latest",
    "cl100k": "gpt-4 GPT-4-Turbo gpt-4-0613 gpt-3.5-turbo azure/gpt-35-turbo",
    "smollm2": "builtin HuggingFaceTB/SmolLM2-135M",
    "claude": "anthropic/Claude-Sonnet-4.5 claude-3-5-sonnet-20241022 claude-opus-4-20250514 claude-opus-4-6 "
    "bedrock/us.anthropic.claude-3-5-sonnet-20241022-v2:0 vertex_ai/claude-haiku-4-5@20251001",
    "claude-4.7": "claude-opus-4-7 anthropic/claude-opus-4.8 claude-sonnet-5 claude-opus-5-20260301",
    "claude-2": "claude-2.1 anthropic.claude-v2:1 claude-instant-1.2",
    "gemini": "gemini-2.5-pro gemini/gemini-3-flash-preview models/gemini-2.0-flash",
    "gemma-2": "gemma-2-9b-it gemma2:27b gemma-7b codegemma:7b",
    "gemma-3": "gemma-3-27b-it gemma3:12b google/gemma-3n-e4b",
    "llama-2": "llama2:7b meta-llama/Llama-2-70b-chat-hf codellama:13b vicuna-13b TinyLlama-1.1B",
    "llama-3": "meta-llama/Llama-3.1-8B llama3.2:3b-instruct-q4_K_M LLAMA-3.3-70B DeepSeek-R1-Distill-Llama-8B",
    "llama-4": "llama4:scout groq/meta-llama/llama-4-maverick-17b Llama4-Scout-Q4_K_M.gguf",
    "mistral-v1": "mixtral-8x7b mistral:7b open-mixtral-8x22b-2404 Mistral-7B-Instruct-v0.3 mistral-large-2407 "
    "codestral-22b-v0.1",
    "mistral": "mistral-small-latest mistral-nemo codestral-2508 devstral-small ministral-8b-2410 magistral",
    "qwen": "Qwen3-8B qwen2.5-coder:32b ollama/qwq deepseek-r1-distill-qwen-32b",
    "qwen-3.5": "qwen3.5-plus Qwen/Qwen3.6-35B-A3B",
    "deepseek": "deepseek-chat deepseek/deepseek-reasoner DeepSeek-V3.2 deepseek-r1:671b",
    "deepseek-2": "deepseek-coder:6.7b DeepSeek-V2-Lite",
    "kimi": "moonshotai/Kimi-K2-Instruct kimi-latest",
    "glm": "zai-org/GLM-4.6 glm-5",
    "minimax": "MiniMax-M2",
    "": "something-else ollama/something-else grok-4",
}
"""Names of models by family, the unknown one last."""


@pytest.mark.parametrize(
    ("family", "model"), [(family, model) for family, names in FAMILIES.items() for model in names.split()]
)
def test_the_family_is_read_from_the_name(family: str, model: str) -> None:
    assert family_of(model) == family


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


LOADED = [
    family if family not in SOURCES or family == "o200k" else pytest.param(family, marks=pytest.mark.wire)
    for family in FAMILIES
]
"""Each vocabulary takes up to a second to load."""


@pytest.mark.parametrize("family", LOADED)
def test_special_tokens_are_plain_text_and_nothing_is_no_token(family: str) -> None:
    for special in ("<|endoftext|>", "<|im_start|>", "[INST]", "<｜User｜>", "<|eot_id|>"):
        assert tokenizer_of(family).count(special) > 1
    assert tokenizer_of(family).count("") == 0


def test_the_overhead_of_a_message() -> None:
    assert tokenizer_for("gpt-4o").overhead == Overhead(tools=12, tool=0, tool_form="openai", pictures="openai")
    assert tokenizer_for("mixtral").overhead.message == 5
    assert tokenizer_for("some-model-of-nobody").overhead == Overhead()


@pytest.mark.slow
def test_the_overhead_of_a_known_template() -> None:
    """The marks are one token each; the rest is counted here as the template writes it."""
    tokenizer = tokenizer_for("llama-3")
    if not tokenizers.is_installed("llama-3"):
        pytest.skip("llama-models is not installed")
    for role in ("user", "assistant", "system"):
        assert tokenizer.overhead.message == 3 + tokenizer.count(role) + tokenizer.count("\n\n")
    assert tokenizer.overhead.priming == 1 + 2 + tokenizer.count("assistant") + tokenizer.count("\n\n")


def test_a_cut_loses_nothing() -> None:
    text = "ab \n/" * CHUNK + "x" * 3 * CHUNK
    pieces = list(chunks(text))
    assert "".join(pieces) == text
    assert max(map(len, pieces)) <= CHUNK


def test_it_is_loaded_once_when_many_threads_ask() -> None:
    loads: list[None] = []

    def load() -> Count:
        loads.append(None)
        time.sleep(0.02)  # long enough for the others to arrive
        return len

    tokenizer = FamilyTokenizer(Overhead(), [CountingMethod("slow", True, load)])
    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(tokenizer.count, ["abcdef"] * 8)) == {6}
    assert len(loads) == 1


def missing() -> Count:
    raise TokenizerMissing("the file is gone")


def test_a_tokenizer_that_fails_falls_back_and_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    alone = FamilyTokenizer(Overhead(), [CountingMethod("o200k", True, missing)])
    second = FamilyTokenizer(Overhead(), [CountingMethod("a", True, missing), CountingMethod("b", False, lambda: len)])
    assert (second.name, second.is_exact) == ("a", True)
    with caplog.at_level(logging.WARNING):
        assert [alone.count(text) for text in ("twelve bytes", "中", "\ud800")] == [4, 1, 1]
        assert second.count("twelve bytes") == 12
    assert (alone.name, alone.is_exact) == ("characters (estimate for o200k)", False)
    assert (second.name, second.is_exact) == ("b", False)
    assert [record.message.count("the file is gone") for record in caplog.records] == [1, 1]


def test_a_file_that_is_not_the_known_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "made_up_vocabulary"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "tokens").write_text("IQ== 0")
    monkeypatch.syspath_prepend(tmp_path)
    file = InstalledFile(("made_up_vocabulary/tokens",), "0" * 64)
    assert file.find() == package / "tokens"
    with pytest.raises(TokenizerMissing, match="not the file that is known"):
        file.read()
    with pytest.raises(TokenizerMissing, match="is not installed"):
        InstalledFile(("no_such_package/tokens",), "").read()


def test_what_an_extra_would_make_exact_is_said_in_the_log_and_in_the_name(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop_app.models.tokens.tokenizers.is_installed", lambda family: False)
    monkeypatch.setattr("desktop_app.models.tokens.tokenizers.tokenizer_of", tokenizers.tokenizer_of.__wrapped__)
    with caplog.at_level(logging.INFO):
        tokenizer = tokenizers.tokenizer_for("llama-3")
    assert (tokenizer.name, caplog.text.count("palimpsest[tokenizers]")) == ("o200k (estimate for llama-3)", 1)
    assert "mistral" in tokenizers.missing_families()
    assert "gpt" not in tokenizers.missing_families()


def test_the_environment_and_litellm_s_module_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "/nowhere")
    assert load_published(CL100K).encode_ordinary("hello") == [15339]
