"""How long a request and a reply may be: read from numbers as people write them, and from what local servers tell."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from desktop_app.conversation.gauge import Basis
from desktop_app.conversation.openai_chat import Json

ASSUMED_WINDOW = 128_000
"""Of a cloud model that nobody knows (features.md C6)."""

DEFAULT_MAX_OUTPUT = 4_096
"""Where nobody says how long a reply may be; never more than a quarter of the window."""

_TOKENS = re.compile(r"\s*(\d[\d_,' ]*(?:\.\d+)?)\s*([kKmM]?)\s*(?:tokens?)?\s*")


class Limits(msgspec.Struct, frozen=True):
    """Window and longest reply in tokens. max_output 0: nobody said."""

    window: int
    max_output: int = 0
    basis: Basis = Basis.MEASURED

    def reply_limit(self) -> int:
        """The longest reply to ask for."""
        return self.max_output or min(DEFAULT_MAX_OUTPUT, self.window // 4)


def tokens_from_text(text: str) -> int:
    """Reads "200K", "1M", "256k", "128,000" or "8192" as tokens. K is 1,000, since vendors round that way.

    Raises ValueError, whose text can be shown.
    """
    match = _TOKENS.fullmatch(text)
    if match is None:
        raise ValueError(f"“{text}” is not a number of tokens. Write it like 8192, 200K or 1M.")
    number = float(re.sub(r"[_,' ]", "", match[1]))
    tokens = round(number * {"": 1, "k": 1_000, "m": 1_000_000}[match[2].lower()])
    if tokens < 1:
        raise ValueError("The number of tokens must be at least 1.")
    return tokens


class Question(msgspec.Struct, frozen=True):
    """One way to ask a server for its models' windows. path: from the server's root. body: posted, if given."""

    path: str
    read: Callable[[Any, str], int]
    body: Json | None = None


def questions_about(model: str) -> tuple[Question, ...]:
    """The ways to ask, best first: what is loaded now comes before what would be possible."""
    return (
        Question("/props", lambda answer, _: _number(_at(answer, "default_generation_settings", "n_ctx"))),
        Question("/api/v0/models", _lm_studio),
        Question("/api/ps", _ollama_running),
        Question("/api/show", _ollama_show, {"model": model}),
        Question("/v1/models", _models_list),
    )


def _lm_studio(answer: Any, model: str) -> int:
    entry = _entry(_at(answer, "data"), model)
    return _number(entry.get("loaded_context_length")) or _number(entry.get("max_context_length"))


def _ollama_running(answer: Any, model: str) -> int:
    return _number(_entry(_at(answer, "models"), model).get("context_length"))


def _ollama_show(answer: Any, model: str) -> int:
    chosen = re.search(r"^num_ctx\s+(\d+)", str(_at(answer, "parameters") or ""), re.MULTILINE)
    if chosen:
        return int(chosen[1])
    info = _at(answer, "model_info")
    keys = [key for key in info if str(key).endswith(".context_length")] if isinstance(info, dict) else []
    return _number(info[keys[0]]) if keys else 0


def _models_list(answer: Any, model: str) -> int:
    """vLLM says max_model_len, OpenRouter and Groq context_length or context_window."""
    entry = _entry(_at(answer, "data"), model)
    return next(filter(None, (_number(entry.get(k)) for k in ("max_model_len", "context_length", "context_window"))), 0)


def _entry(entries: Any, model: str) -> Json:
    """The entry of that model in a list; an empty one when it is not there."""
    known: Iterable[Any] = entries if isinstance(entries, list) else ()
    return next((e for e in known if isinstance(e, dict) and model in (e.get("id"), e.get("name"), e.get("model"))), {})


def _at(answer: Any, *path: str) -> Any:
    for key in path:
        answer = answer.get(key) if isinstance(answer, dict) else None
    return answer


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
