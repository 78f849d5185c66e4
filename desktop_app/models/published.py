"""Published limits, prices and capabilities of cloud models. Pure.

litellm's catalogue has most of them; `known_models` corrects it. The limits are *estimated* until the server reports
its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from desktop_app.addresses import host_of
from desktop_app.chat.ports import Price
from desktop_app.conversation.openai_chat import Json
from desktop_app.settings import ServerKind

from .endpoint import PREFIX, Endpoint
from .known_models import KNOWN, PROPOSED
from .token_limits import ModelCapabilities

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
"""litellm's name of the provider behind an OpenAI-compatible address."""

CHAT_MODES = ("chat", "responses")


def published_of(catalogue: Mapping[str, Json], endpoint: Endpoint, name: str) -> ModelCapabilities | None:
    """Return what is published of that model, as that server names it; None if nothing is."""
    found = next((catalogue[key] for key in _keys(endpoint, name) if key in catalogue), None)
    published = _capabilities_in(found) if found else ModelCapabilities()
    known = KNOWN.get(name.rpartition("/")[2])
    published = known.or_else(published) if known else published
    return published if published != ModelCapabilities() else None


def proposals(catalogue: Mapping[str, Json], kind: ServerKind) -> tuple[str, ...]:
    """Return names of models to propose for such a server: well-known ones, then those of the catalogue that chat and
    call tools. A local server lists its own."""
    first = PROPOSED.get(kind, ())
    if kind not in ("anthropic", "openai", "gemini", "moonshot"):
        return first
    rest = sorted(
        name.removeprefix(f"{kind}/")
        for name, fields in catalogue.items()
        if fields.get("litellm_provider") == kind
        and fields.get("mode") in CHAT_MODES
        and fields.get("supports_function_calling")
        and not name.startswith("ft:")
    )
    return tuple(dict.fromkeys((*first, *rest)))


def _keys(endpoint: Endpoint, name: str) -> Iterator[str]:
    prefix = PREFIX_OF_HOST.get(host_of(endpoint.address)) or PREFIX[endpoint.kind]
    yield f"{prefix}/{name}"
    yield name
    if endpoint.kind == "openrouter":  # it says anthropic/claude-sonnet-4.5
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
        supports_vision=bool(fields.get("supports_vision")),
        price=Price(float(prompt), float(reply), _maybe(cached), _maybe(written)) if prompt or reply else None,
    )


def _maybe(cost: object) -> float | None:
    return float(cost) if isinstance(cost, int | float) and cost else None
