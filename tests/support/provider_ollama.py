"""Ollama's own API: POST /api/chat, a JSON object a line, calls that come whole, windows that cut in silence."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from provider_history import problem_in
from provider_openai import OpenAI
from provider_script import Json, Overflow, Reply, pieces_of
from provider_shapes import Answer, encode

CREATED = "2026-01-01T00:00:00Z"


class Ollama(OpenAI):
    """A prompt that is too long loses its oldest messages without a word: only prompt_eval_count tells."""

    name = "ollama"
    has_fragments = False
    content_type = "application/x-ndjson"
    has_done = False
    caches = (1, 1)
    truncates = True

    def serves(self, path: str) -> bool:
        return path.endswith("/api/chat")

    def unstreamed(self, reply: Reply, body: Json) -> None:
        return None

    def max_tokens(self, body: Json) -> int:
        return max(int((body.get("options") or {}).get("num_predict") or 0), 0)

    def event(self, value: Json) -> bytes:
        return encode(value) + b"\n"

    def opening(self, reply: Reply, body: Json) -> Iterator[bytes]:
        for piece in pieces_of(reply.reasoning, reply.size):
            yield self._line(body, {"role": "assistant", "content": "", "thinking": piece})
        for piece in pieces_of(reply.text, reply.size):
            yield self._line(body, {"role": "assistant", "content": piece})
        for index, call in enumerate(reply.calls):
            function = {"index": index, "name": call.name, "arguments": json.loads(call.arguments)}
            calls = [{"id": call.call_id, "function": function}]
            yield self._line(body, {"role": "assistant", "content": "", "tool_calls": calls})

    def ending(self, reply: Reply, body: Json) -> Iterator[bytes]:
        last = {"model": body.get("model"), "created_at": CREATED, "message": {"role": "assistant", "content": ""}}
        yield self.event(last | self._end(reply))

    def _end(self, reply: Reply) -> Json:
        reason = reply.finish if reply.finish in ("stop", "length") else "stop"
        end: Json = {"done": True, "done_reason": reason, "total_duration": 9, "load_duration": 1}
        if reply.usage is not None:
            end |= {"prompt_eval_count": reply.usage[0], "prompt_eval_duration": 3}
            end |= {"eval_count": reply.usage[1], "eval_duration": 5}
        return end

    def _line(self, body: Json, message: Json) -> bytes:
        return self.event({"model": body.get("model"), "created_at": CREATED, "message": message, "done": False})

    def error(self, code: int, message: str, kind: str = "") -> Json:
        return {"error": message}

    def unknown_model(self, model: str) -> Answer:
        return 404, encode({"error": f"model '{model}' not found"}).decode()

    def malformed(self, body: Json) -> str:
        return problem_in("ollama", body)

    def overflow(self, step: Overflow) -> Answer:
        # Only its cloud refuses: https://github.com/badlogic/pi-mono, packages/ai/src/utils/overflow.ts
        said = f"prompt too long; exceeded max context length by {step.tokens - step.window} tokens"
        return 400, encode({"error": said}).decode()

    def page(self, method: str, path: str, body: Json, models: Sequence[str], window: int) -> Json | None:
        match method, path:
            case "GET", "/api/tags":
                return {"models": [_entry(name) for name in models]}
            case "GET", "/api/ps":
                return {"models": [_entry(name) | {"context_length": window} for name in models]}
            case "POST", "/api/show" if body.get("model") in models:
                return _show(window)
            case _:
                return super().page(method, path, body, models, window)


def _entry(name: str) -> Json:
    details = {"format": "gguf", "family": "qwen3", "parameter_size": "8.2B", "quantization_level": "Q4_K_M"}
    return {"name": name, "model": name, "size": 5_200_000_000, "digest": "sha256:0", "details": details}


def _show(window: int) -> Json:
    return {
        "parameters": f'num_ctx                        {window}\nstop                           "<|im_end|>"',
        "template": "{{ .Prompt }}",
        "details": {"format": "gguf", "family": "qwen3"},
        "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40_960},
        "capabilities": ["completion", "tools", "thinking"],
    }
