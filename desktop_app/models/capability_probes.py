"""Capabilities of models, and probes that ask servers about them and read the answers. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from desktop_app.chat.ports import Price
from desktop_app.conversation.openai_chat import Json
from desktop_app.settings import ServerKind

from .published import ModelCapabilities

ASSUMED_WINDOW = 128_000
"""Tokens, for an unknown cloud model (features.md C6)."""

LIMITED_BY_WINDOW: tuple[ServerKind, ...] = ("ollama", "lm_studio", "llama_cpp", "vllm")
"""Servers on which only the window limits the length of a reply."""

DEFAULT_MAX_OUTPUT = 4_096
"""Tokens of the reply that a check requests if the model's limit is unknown."""

OWNERS = ("vllm", "llamacpp", "sglang")
"""Values of `owned_by` in the lists of programs that run models; programs that forward requests name other owners."""

MAX_OLLAMA_WINDOW = 32_768
"""Ollama allocates memory for the requested window (`num_ctx`): 131,072 tokens of a model with 8 billion parameters
would be 16 GB. Exceeded only if the model is loaded with a larger window, or the Modelfile or the user sets one."""


class Probe(msgspec.Struct, frozen=True):
    """A request that asks a server about a model."""

    path: str
    """Relative to the base address if it begins with "/models", otherwise to the server's root."""
    read: Callable[[Any, str], ModelCapabilities]
    """Reads the answer's JSON, given the model's name."""
    body: Json | None = None
    """The JSON to post; None for a GET request."""


def probes_for(model: str, kind: ServerKind, is_local: bool) -> tuple[Probe, ...]:
    """Return the probes, best first: the window with which the model is loaded counts more than the possible one."""
    models_list = Probe("/models", _models_list)
    llama_cpp = Probe("/props", _llama_cpp)
    lm_studio = Probe("/api/v0/models", _lm_studio)
    ollama = (Probe("/api/ps", _ollama_running), Probe("/api/show", _ollama_show, {"model": model}))
    match kind:
        case "openai":
            return ()  # its list has only names
        case "anthropic":
            return (Probe("/v1/models", _models_list),)
        case "gemini":
            return (Probe(f"/models/{model}", _gemini),)
        case "openrouter" | "moonshot" | "vllm":
            return (models_list,)
        case "lm_studio":
            return (lm_studio, models_list)
        case "llama_cpp":
            return (llama_cpp, models_list)
        case "ollama":
            return ollama
        case _:
            return (llama_cpp, lm_studio, *ollama, models_list) if is_local else (models_list,)


def _llama_cpp(answer: Any, model: str) -> ModelCapabilities:
    sees = _get(answer, "modalities", "vision")
    template = _get(answer, "chat_template_caps", "supports_tools")
    return ModelCapabilities(
        window=_number(_get(answer, "default_generation_settings", "n_ctx")),
        runs_here=isinstance(_get(answer, "default_generation_settings"), dict),
        supports_vision=sees if isinstance(sees, bool) else None,
        supports_tools=template if isinstance(template, bool) else None,
    )


def _lm_studio(answer: Any, model: str) -> ModelCapabilities:
    return _of_lm_studio(_entry(_get(answer, "data"), model))


def _of_lm_studio(entry: Json) -> ModelCapabilities:
    abilities = entry.get("capabilities")
    return ModelCapabilities(
        window=_number(entry.get("loaded_context_length")) or _number(entry.get("max_context_length")),
        supports_vision=entry["type"] == "vlm" if "type" in entry else None,
        supports_tools="tool_use" in abilities if isinstance(abilities, list) else None,
        runs_here=not entry.keys().isdisjoint(("arch", "loaded_context_length", "max_context_length")),
    )


def _ollama_running(answer: Any, model: str) -> ModelCapabilities:
    entry = _entry(_get(answer, "models"), model)
    return ModelCapabilities(_number(entry.get("context_length")), runs_here="context_length" in entry)


def _ollama_show(answer: Any, model: str) -> ModelCapabilities:
    abilities = _get(answer, "capabilities")
    knows = isinstance(abilities, list)
    return ModelCapabilities(
        window=_ollama_window(answer),
        supports_vision="vision" in abilities if knows else None,
        supports_tools="tools" in abilities if knows else None,
        runs_here=isinstance(_get(answer, "model_info"), dict) and not _get(answer, "remote_host"),
    )


def _ollama_window(answer: Any) -> int:
    chosen = re.search(r"^num_ctx\s+(\d+)", str(_get(answer, "parameters") or ""), re.MULTILINE)
    if chosen:
        return int(chosen[1])
    info = _get(answer, "model_info")
    keys = [key for key in info if str(key).endswith(".context_length")] if isinstance(info, dict) else []
    return min(_number(info[keys[0]]), MAX_OLLAMA_WINDOW) if keys else 0


def _gemini(answer: Any, model: str) -> ModelCapabilities:
    return _of_gemini(answer)


def _of_gemini(entry: Any) -> ModelCapabilities:
    return ModelCapabilities(_number(_get(entry, "inputTokenLimit")), _number(_get(entry, "outputTokenLimit")))


def _models_list(answer: Any, model: str) -> ModelCapabilities:
    return _of_entry(_entry(_get(answer, "data"), model))


def _of_entry(entry: Json) -> ModelCapabilities:
    # vLLM has max_model_len, OpenRouter, Kimi and Groq context_length or context_window, Anthropic max_input_tokens.
    names = ("max_model_len", "context_length", "context_window", "max_context_length", "max_input_tokens")
    accepted, inputs = entry.get("supported_parameters"), _get(entry, "architecture", "input_modalities")
    sees = "image" in inputs if isinstance(inputs, list) else entry.get("supports_image_in")
    return ModelCapabilities(
        window=next(filter(None, (_number(entry.get(name)) for name in names)), 0),
        max_output=_number(_get(entry, "top_provider", "max_completion_tokens")) or _number(entry.get("max_tokens")),
        supports_tools="tools" in accepted if isinstance(accepted, list) else None,
        supports_vision=sees if isinstance(sees, bool) else None,
        price=_price(entry.get("pricing")),
        runs_here=entry.get("owned_by") in OWNERS,
    )


def _price(pricing: Any) -> Price | None:
    """Read OpenRouter's prices, which are dollars per token, as text."""
    prompt, reply = _dollars(_get(pricing, "prompt")), _dollars(_get(pricing, "completion"))
    if not prompt and not reply:
        return None
    cached, written = (_dollars(_get(pricing, f"input_cache_{done}")) for done in ("read", "write"))
    return Price(prompt, reply, cached or None, written or None)


def _dollars(text: Any) -> float:
    try:
        return max(float(text), 0.0)
    except (TypeError, ValueError):
        return 0.0


def model_names_in(answer: Any) -> tuple[str, ...]:
    """Return the names of the models that a server lists, in any format and its order, without embedding models."""
    return tuple(models_in(answer))


def models_in(answer: Any) -> dict[str, ModelCapabilities]:
    """Return the models that a server lists, as above, with the capabilities in the list."""
    entries = next(filter(None, (_get(answer, key) for key in ("data", "models"))), None)
    known: Iterable[Any] = entries if isinstance(entries, list) else ()
    found: dict[str, ModelCapabilities] = {}
    for entry in known:
        name = (entry.get("id") or entry.get("name") or entry.get("model")) if isinstance(entry, dict) else None
        if isinstance(name, str) and name and _chats(entry):
            of_list = _of_lm_studio(entry) if "loaded_context_length" in entry or "arch" in entry else _of_entry(entry)
            found.setdefault(name.removeprefix("models/"), of_list.or_else(_of_gemini(entry)))
    return found


def _chats(entry: Json) -> bool:
    return "embedding" not in str(entry.get("type")) and not str(entry.get("id", "")).startswith("text-embed")


def _entry(entries: Any, model: str) -> Json:
    """Return the entry of that model in a list; {} if there is none."""
    known: Iterable[Any] = entries if isinstance(entries, list) else ()
    return next((e for e in known if isinstance(e, dict) and model in (e.get("id"), e.get("name"), e.get("model"))), {})


def _get(answer: Any, *path: str) -> Any:
    for key in path:
        answer = answer.get(key) if isinstance(answer, dict) else None
    return answer


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
