"""The kinds of servers, each with the flavour of the scripted provider that speaks as it does, and a model's name."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from desktop_app.context.view.dialect import to_dialect
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message
from desktop_app.conversation.tools import ToolSpec
from desktop_app.models.dialect_fields import dialect_fields
from desktop_app.models.endpoint import Endpoint
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.litellm_model import LiteLLMModel
from desktop_app.models.tokens.tokenizers import tokenizer_for
from desktop_app.settings import ServerKind
from provider import AnyStep, ScriptedProvider

KEY = "sk-SECRET-0123456789abcdef"


def in_dialect(
    info: ModelInfo, messages: Sequence[Message], max_tokens: int, tools: tuple[ToolSpec, ...] = ()
) -> tuple[list[Message], int, tuple[ToolSpec, ...]]:
    """The arguments of `ChatModel.stream`, with the messages and tools as that model gets them."""
    sent, offered = to_dialect(messages, tools, info.dialect)
    return sent, max_tokens, offered


class Kind(msgspec.Struct, frozen=True):
    """kind: as the settings name it. path: what its address ends with."""

    kind: ServerKind
    flavour: str
    model: str
    path: str = "/v1"
    has_cache: bool = True

    def provider(self, *script: AnyStep, **options: object) -> ScriptedProvider:
        """A server of that kind that plays the script."""
        return ScriptedProvider(script, flavour=self.flavour, models=(self.model,), key=KEY, **options)  # type: ignore[arg-type]

    def model_at(
        self,
        provider: ScriptedProvider,
        litellm: LiteLLM,
        *,
        key: str = KEY,
        supports_vision: bool = False,
        window: int = 8192,
    ) -> LiteLLMModel:
        """The model behind that server, as the engine would have it."""
        info = ModelInfo(
            f"test/{self.model}",
            self.model,
            window,
            1024,
            Provenance.MEASURED,
            supports_vision=supports_vision,
            **dialect_fields(self.kind, self.model),
        )
        endpoint = Endpoint("Test server", provider.root_url + self.path, key, self.kind)
        return LiteLLMModel(info, tokenizer_for(self.model), litellm, endpoint, self.model)


KINDS = (
    Kind("anthropic", "anthropic", "claude-sonnet-4-5", ""),
    Kind("gemini", "gemini", "gemini-3-pro-preview", "/v1beta"),
    Kind("openai", "openai", "gpt-5.1"),
    Kind("openrouter", "openrouter", "anthropic/claude-sonnet-4.5"),
    Kind("moonshot", "moonshot", "kimi-k2.5"),
    Kind("ollama", "ollama", "qwen3:8b", "", has_cache=False),
    Kind("lm_studio", "lmstudio", "qwen3-8b"),
    Kind("llama_cpp", "llama.cpp", "qwen3-8b"),
    Kind("vllm", "vllm", "Qwen/Qwen3-8B"),
    Kind("openai_compatible", "deepseek", "deepseek-chat"),
)
OF_KIND = {kind.kind: kind for kind in KINDS}
CODEX = Kind("openai", "responses", "gpt-5.3-codex")
"""A model that OpenAI offers in its Responses API only."""
ALIKE = ("llama_cpp", "openai_compatible")
"""They go through litellm as `openai` does, so that they are left to the slow tests."""
EACH = {
    "argvalues": [*(pytest.param(k, marks=pytest.mark.slow) if k.kind in ALIKE else k for k in KINDS), CODEX],
    "ids": [*(kind.kind for kind in KINDS), "codex"],
}
"""For pytest.mark.parametrize("kind", **EACH)."""
