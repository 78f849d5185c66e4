"""Published limits, prices and capabilities of cloud models.

Most come from litellm's catalogue, which is read here without importing litellm. `KNOWN` has the ones that are missing
or wrong in litellm 1.106.2, each number with its source. The limits are *estimated* until the server reports its own.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import msgspec

from desktop_app.addresses import host_of
from desktop_app.chat.ports import Price
from desktop_app.conversation.openai_chat import Json
from desktop_app.settings import ServerKind

from .endpoint import PREFIX, Endpoint

CATALOGUE = "model_prices_and_context_window_backup.json"
"""litellm's file, in its package."""
ALIASES = "aliases"
NO_MODEL = "fallback_generalizations"
"""An entry of that file that describes no model."""

log = logging.getLogger(__name__)

_STORED_NAMES = {"supports_tools": "has_tools", "supports_vision": "has_eyes"}


class ModelCapabilities(msgspec.Struct, frozen=True, rename=_STORED_NAMES):
    """Facts about a model that a server or a catalogue reports; 0 or None if unknown."""

    window: int = 0
    max_output: int = 0
    supports_tools: bool | None = None
    supports_vision: bool | None = None
    price: Price | None = None
    runs_here: bool = False
    """Whether the server answered like a program that runs models itself and does not forward requests."""
    quirks: tuple[str, ...] = ()
    """Quirks of its chat template: see `conversation/quirks.py`."""

    def or_else(self, other: ModelCapabilities) -> ModelCapabilities:
        """Return these capabilities, with unknown ones taken from `other`."""
        return ModelCapabilities(
            self.window or other.window,
            self.max_output or other.max_output,
            other.supports_tools if self.supports_tools is None else self.supports_tools,
            other.supports_vision if self.supports_vision is None else self.supports_vision,
            self.price or other.price,
            self.runs_here or other.runs_here,
            tuple(dict.fromkeys((*self.quirks, *other.quirks))),
        )


_SEES = re.compile(
    r"(^|[-_/.: \d])vl(m|\d|[-_.: ]|$)|vision|llava|pixtral|internvl|minicpm-?v|minicpm-?o|molmo|moondream|idefics|omni"
    r"|multimodal|gemma-?(3-(4|12|27)|3:(4|12|27)|3n|[4-9])|medgemma|llama-?4|mistral-small-?(3\.[1-9]|250[3-9]|4)"
    r"|mistral-medium-?3|qwen-?3\.[5-9]|glm-?\d(\.\d)?v|kimi-?k2\.[5-9]|gpt-4o|gpt-4\.1|gpt-[5-9]|gemini|claude",
    re.IGNORECASE,
)


def sees_by_name(name: str) -> bool:
    """Return whether a model is known to see pictures by its name: many servers do not tell, such as vLLM."""
    return bool(_SEES.search(name))


PREFIX_OF_HOST = {
    "api.deepseek.com": "deepseek",
    "api.mistral.ai": "mistral",
    "api.groq.com": "groq",
    "api.x.ai": "xai",
    "api.together.xyz": "together_ai",
    "api.fireworks.ai": "fireworks_ai",
    "api.cerebras.ai": "cerebras",
    "api.z.ai": "zai",
    "dashscope.aliyuncs.com": "dashscope",
}
"""litellm's name of the provider at an OpenAI-compatible address."""


def _dollars(prompt: float, reply: float, cached: float) -> Price:
    """Return the price, given the dollars for a million tokens each."""
    return Price(prompt / 1e6, reply / 1e6, cached / 1e6)


# https://platform.moonshot.ai/docs/pricing/chat, and openrouter.ai/moonshotai (262,144 for both); the July model had
# half of that window. No limit of the reply is published; the documentation's examples request 32 * 1,024 tokens,
# including thoughts (https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model).
_KIMI_REPLY = 32_768
_KIMI_K2 = ModelCapabilities(262_144, _KIMI_REPLY, True, False, _dollars(0.60, 2.50, 0.15))
_KIMI_K2_TURBO = ModelCapabilities(262_144, _KIMI_REPLY, True, False, _dollars(1.15, 8.00, 0.15))

# https://openai.com/index/introducing-gpt-5-for-developers: 400,000 tokens are 272,000 for the prompt and 128,000 for
# the reply, and larger prompts are refused (github.com/cline/cline/issues/5474, github.com/openai/codex/issues/19339).
# The catalogue has 400,000 for the prompt of these.
_CODEX = ModelCapabilities(272_000, 128_000)

KNOWN: dict[str, ModelCapabilities] = {
    # https://ai.google.dev/gemini-api/docs/gemini-3: 1M in, 64K out; 2, 12 and 0.20 dollars up to 200,000 tokens.
    "gemini-3-pro-preview": ModelCapabilities(1_048_576, 65_536, True, True, _dollars(2.00, 12.00, 0.20)),
    "gpt-5.1-codex": _CODEX,
    "gpt-5.1-codex-max": _CODEX,
    "gpt-5.1-codex-mini": _CODEX,
    "kimi-k2": _KIMI_K2,
    "kimi-k2-0711-preview": ModelCapabilities(131_072, _KIMI_REPLY, True, False, _dollars(0.60, 2.50, 0.15)),
    "kimi-k2-0905-preview": _KIMI_K2,
    "kimi-k2-0905": _KIMI_K2,
    "kimi-k2-thinking": _KIMI_K2,
    "kimi-k2-turbo-preview": _KIMI_K2_TURBO,
    "kimi-k2-thinking-turbo": _KIMI_K2_TURBO,
}
"""By the name after the last slash. Values that are 0 or None here come from the catalogue."""

PROPOSED: dict[ServerKind, tuple[str, ...]] = {
    "anthropic": (
        "claude-sonnet-4-6",
        "claude-opus-4-6",
        "claude-haiku-4-5",
        "claude-sonnet-4-5",
        "claude-opus-4-5",
    ),
    "openai": ("gpt-5.3-codex", "gpt-5.1-codex", "gpt-5.1-codex-max", "gpt-5.1-codex-mini", "gpt-5.1"),
    "gemini": ("gemini-3-pro-preview", "gemini-3-flash-preview", "gemini-3.1-pro-preview"),
    "moonshot": ("kimi-k2.5", "kimi-k2-0905-preview", "kimi-k2-thinking", "kimi-k2-turbo-preview"),
    "openrouter": (
        "anthropic/claude-sonnet-4.6",
        "anthropic/claude-opus-4.6",
        "anthropic/claude-haiku-4.5",
        "google/gemini-3-pro-preview",
        "google/gemini-3-flash-preview",
        "openai/gpt-5.3-codex",
        "moonshotai/kimi-k2.5",
    ),
}
"""Models that the settings propose before the server was asked."""


class PublishedModels(Mapping[str, Json]):
    """litellm's catalogue of limits, prices and capabilities by name. Each model is decoded when it is looked up: the
    file has 3 MB, of which a user needs a few lines."""

    def __init__(self, content: bytes) -> None:
        self._entries = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
        self._entries.pop(NO_MODEL, None)
        self._names = {
            alias: name
            for name, entry in self._entries.items()
            if f'"{ALIASES}"'.encode() in bytes(entry)
            for alias in msgspec.json.decode(entry)[ALIASES] or ()
            if alias not in self._entries
        }

    def __getitem__(self, name: str) -> Json:
        return self._entry(self._names.get(name, name))

    def __iter__(self) -> Iterator[str]:
        yield from self._entries
        yield from self._names

    def __len__(self) -> int:
        return len(self._entries) + len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._names

    def _entry(self, name: str) -> Json:
        entry: Json = msgspec.json.decode(self._entries[name])
        return {field: value for field, value in entry.items() if field != ALIASES}


@cache
def published_models() -> Mapping[str, Json]:
    """Return the catalogue that the installed litellm brings; empty if it cannot be read."""
    found = find_spec("litellm")
    try:
        return PublishedModels(
            (Path(found.origin).parent / CATALOGUE).read_bytes() if found and found.origin else b"{}"
        )
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        log.warning("what is published about models could not be read: %s", error)
        return {}


def published_of(catalogue: Mapping[str, Json], endpoint: Endpoint, name: str) -> ModelCapabilities | None:
    """Return the published capabilities of that model, under that server's name for it; None if there are none."""
    found = next((catalogue[key] for key in _keys(endpoint, name) if key in catalogue), None)
    published = _capabilities_in(found) if found else ModelCapabilities()
    known = KNOWN.get(name.rpartition("/")[2])
    published = known.or_else(published) if known else published
    return published if published != ModelCapabilities() else None


def proposals(catalogue: Mapping[str, Json], kind: ServerKind) -> tuple[str, ...]:
    """Return model names to propose for such a server: well-known ones, then others of the catalogue that can chat and
    call tools. Local servers list their own models."""
    first = PROPOSED.get(kind, ())
    if kind not in ("anthropic", "openai", "gemini", "moonshot"):
        return first
    rest = sorted(
        name.removeprefix(f"{kind}/")
        for name, fields in catalogue.items()
        if fields.get("litellm_provider") == kind
        and fields.get("mode") in ("chat", "responses")
        and fields.get("supports_function_calling")
        and not name.startswith("ft:")
    )
    return tuple(dict.fromkeys((*first, *rest)))


def _keys(endpoint: Endpoint, name: str) -> Iterator[str]:
    prefix = PREFIX_OF_HOST.get(host_of(endpoint.address)) or PREFIX[endpoint.kind]
    yield f"{prefix}/{name}"
    yield name
    if endpoint.kind == "openrouter":  # its names are like anthropic/claude-sonnet-4.5
        vendor, _, own = name.partition(":")[0].partition("/")
        yield f"{ {'google': 'gemini', 'moonshotai': 'moonshot'}.get(vendor, vendor) }/{own}"
        yield own
        yield own.replace(".", "-")


def _capabilities_in(fields: Json) -> ModelCapabilities:
    prompt, reply = fields.get("input_cost_per_token") or 0.0, fields.get("output_cost_per_token") or 0.0
    cached, written = fields.get("cache_read_input_token_cost"), fields.get("cache_creation_input_token_cost")
    return ModelCapabilities(
        window=int(fields.get("max_input_tokens") or 0),
        max_output=int(fields.get("max_output_tokens") or 0),
        supports_tools=bool(fields.get("supports_function_calling")),
        supports_vision=bool(fields.get("supports_vision")) or None,  # it is not listed for all models that see
        price=Price(float(prompt), float(reply), _maybe(cached), _maybe(written)) if prompt or reply else None,
    )


def _maybe(cost: object) -> float | None:
    return float(cost) if isinstance(cost, int | float) and cost else None
