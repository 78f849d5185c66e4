"""The vendors' dialects of the five shapes, by name: ScriptedProvider(..., flavour="ollama").

| flavour | shape | what is its own |
|---|---|---|
| openai, responses, anthropic, gemini, ollama | theirs | |
| openrouter | OpenAI | cost, native reasons, errors inside a chunk, context_length in its list of models |
| moonshot | OpenAI | the usage inside the last choice |
| lmstudio | OpenAI | /api/v0/models, error events, errors that are a bare text |
| llama.cpp | OpenAI | /props, /tokenize, timings, errors with n_prompt_tokens and n_ctx |
| vllm | OpenAI | max_model_len, /tokenize, prompt and reply must fit together |
| groq, deepseek | OpenAI | refusals in their words; context_window; their fields of usage |
"""

from __future__ import annotations

from collections.abc import Sequence

from provider_anthropic import Anthropic
from provider_gemini import Gemini
from provider_ollama import Ollama
from provider_openai import OpenAI
from provider_responses import Responses
from provider_script import Json, Overflow, Reply
from provider_shapes import Answer, Shape, encode


class OpenRouter(OpenAI):
    """https://openrouter.ai/docs/api/reference/errors-and-debugging, .../streaming"""

    name = "openrouter"
    reasoning = "reasoning"

    def chunk(self, delta: Json | None, finish: str | None = None) -> Json:
        chunk = super().chunk(delta, finish)
        choices = [choice | {"native_finish_reason": finish} for choice in chunk["choices"]]
        return chunk | {"provider": "Scripted", "choices": choices}

    def is_usage_wanted(self, body: Json) -> bool:
        return True

    def usage(self, reply: Reply) -> Json:
        return super().usage(reply) | {"cost": 0.0025, "is_byok": False}

    def error(self, code: int, message: str, kind: str = "") -> Json:
        return {"error": {"message": message, "code": code}, "user_id": "user_scripted"}

    def error_event(self, code: int, message: str, kind: str) -> bytes:
        chunk = self.chunk({"content": ""}, finish="error")
        return self.event(chunk | {"error": {"code": code, "message": message}})

    def overflow(self, step: Overflow) -> Answer:
        # https://github.com/refly-ai/refly/issues/1177
        asked = step.tokens + step.reply
        output = f", {step.reply} in the output" if step.reply else ""
        said = (
            f"This endpoint's maximum context length is {step.window} tokens. However, you requested about {asked} "
            f"tokens ({step.tokens} of text input{output}). Please reduce the length of either one, or use the "
            '"middle-out" transform to compress your prompt automatically.'
        )
        return 400, encode(self.error(400, said)).decode()

    def model_entry(self, name: str, window: int) -> Json:
        top = {"context_length": window, "max_completion_tokens": None, "is_moderated": False}
        return super().model_entry(name, window) | {"context_length": window, "top_provider": top}


class Moonshot(OpenAI):
    """https://platform.moonshot.ai/docs/api/chat: the usage stands inside the last choice."""

    name = "moonshot"
    caches = (256, 1)

    def last_chunk(self, reply: Reply) -> Json:
        chunk = super().last_chunk(reply)
        if reply.usage is not None:
            chunk["choices"][0]["usage"] = self.usage(reply)
        return chunk

    def is_usage_wanted(self, body: Json) -> bool:
        return False

    def usage(self, reply: Reply) -> Json:
        prompt, tokens, cached = reply.usage or (0, 0, 0)
        counted = {"prompt_tokens": prompt, "completion_tokens": tokens, "total_tokens": prompt + tokens}
        return counted | {"cached_tokens": cached}

    def overflow(self, step: Overflow) -> Answer:
        # https://github.com/MoonshotAI/kimi-cli/issues/2011
        said = (
            f"Invalid request: Your request exceeded model token limit: {step.window} "
            f"(requested: {step.tokens + step.reply})"
        )
        return 400, encode({"error": {"message": said, "type": "invalid_request_error"}}).decode()


class LMStudio(OpenAI):
    """https://lmstudio.ai/docs/developer/rest/endpoints"""

    name = "lmstudio"
    caches = (1, 1)

    def error(self, code: int, message: str, kind: str = "") -> Json:
        return {"error": message}

    def error_event(self, code: int, message: str, kind: str) -> bytes:
        return b"event: error\n" + self.event({"error": {"message": message}})

    def overflow(self, step: Overflow) -> Answer:
        # https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/546
        said = (
            f"Trying to keep the first {step.tokens} tokens when context the overflows. However, the model is loaded "
            f"with context length of only {step.window} tokens, which is not enough. Try to load the model with a "
            "larger context length, or provide a shorter input"
        )
        return 400, encode(self.error(400, said)).decode()

    def page(self, method: str, path: str, body: Json, models: Sequence[str], window: int) -> Json | None:
        if method == "GET" and path == "/api/v0/models":
            return {"object": "list", "data": [_lm_studio_entry(name, window) for name in models]}
        return super().page(method, path, body, models, window)


def _lm_studio_entry(name: str, window: int) -> Json:
    return {
        "id": name,
        "object": "model",
        "type": "llm",
        "publisher": "lmstudio-community",
        "arch": "qwen3",
        "compatibility_type": "gguf",
        "quantization": "Q4_K_M",
        "state": "loaded",
        "max_context_length": 131_072,
        "loaded_context_length": window,
    }


class LlamaCpp(OpenAI):
    """https://github.com/ggml-org/llama.cpp, tools/server/README.md"""

    name = "llama.cpp"
    caches = (1, 1)

    def last_chunk(self, reply: Reply) -> Json:
        prompt, tokens, cached = reply.usage or (0, 0, 0)
        timings = {"cache_n": cached, "prompt_n": prompt - cached, "prompt_ms": 10.0, "predicted_n": tokens}
        return super().last_chunk(reply) | {"timings": timings | {"predicted_ms": 20.0}}

    def error(self, code: int, message: str, kind: str = "") -> Json:
        kinds = {400: "invalid_request_error", 401: "authentication_error", 503: "unavailable_error"}
        return {"error": {"code": code, "message": message, "type": kind or kinds.get(code, "server_error")}}

    def overflow(self, step: Overflow) -> Answer:
        # https://github.com/ggml-org/llama.cpp/pull/15780
        said = (
            f"request ({step.tokens} tokens) exceeds the available context size ({step.window} tokens), "
            "try increasing it"
        )
        body = self.error(400, said, "exceed_context_size_error")
        body["error"] |= {"n_prompt_tokens": step.tokens, "n_ctx": step.window}
        return 400, encode(body).decode()

    def page(self, method: str, path: str, body: Json, models: Sequence[str], window: int) -> Json | None:
        match method, path:
            case "GET", "/props":
                settings = {"n_ctx": window, "params": {}, "id": 0, "is_processing": False}
                return {"default_generation_settings": settings, "total_slots": 1, "model_path": models[0]}
            case "POST", "/tokenize":
                return {"tokens": list(range(len(str(body.get("content", "")).encode()) // 4))}
            case _:
                return super().page(method, path, body, models, window)

    def model_entry(self, name: str, window: int) -> Json:
        return super().model_entry(name, window) | {"owned_by": "llamacpp", "meta": {"n_ctx_train": 131_072}}


class VLLM(OpenAI):
    """https://docs.vllm.ai: prompt and reply must fit into the window together."""

    name = "vllm"
    caches = (16, 16)
    counts_reply = True

    def error(self, code: int, message: str, kind: str = "") -> Json:
        names = {400: "BadRequestError", 401: "Unauthorized", 404: "NotFoundError", 500: "InternalServerError"}
        return {"error": {"message": message, "type": names.get(code, "Error"), "param": None, "code": code}}

    def overflow(self, step: Overflow) -> Answer:
        # vllm/entrypoints/openai: renderer and serving; github.com/vllm-project/vllm/issues/33418
        said = f"The decoder prompt (length {step.tokens}) is longer than the maximum model length of {step.window}. "
        said += "Make sure that `max_model_len` is no smaller than the number of text tokens."
        if step.reply:
            said = (
                f"'max_tokens' or 'max_completion_tokens' is too large: {step.reply}. This model's maximum context "
                f"length is {step.window} tokens and your request has {step.tokens} input tokens "
                f"({step.reply} > {step.window} - {step.tokens})."
            )
        return 400, encode(self.error(400, said)).decode()

    def model_entry(self, name: str, window: int) -> Json:
        return super().model_entry(name, window) | {"owned_by": "vllm", "max_model_len": window}


class Groq(OpenAI):
    """https://console.groq.com/docs/errors"""

    name = "groq"
    reasoning = "reasoning"

    def overflow(self, step: Overflow) -> Answer:
        inner = {"message": "Please reduce the length of the messages or completion.", "param": "messages"}
        inner |= {"type": "invalid_request_error", "code": "context_length_exceeded"}
        return 400, encode({"error": inner}).decode()

    def model_entry(self, name: str, window: int) -> Json:
        return super().model_entry(name, window) | {"active": True, "context_window": window}


class DeepSeek(OpenAI):
    """https://api-docs.deepseek.com/guides/kv_cache: 64 tokens are the unit of its cache."""

    name = "deepseek"
    caches = (64, 64)

    def usage(self, reply: Reply) -> Json:
        prompt, _, cached = reply.usage or (0, 0, 0)
        counted = {"prompt_cache_hit_tokens": cached, "prompt_cache_miss_tokens": prompt - cached}
        return super().usage(reply) | counted


# The first one that serves a path gives it its shape.
_SHAPES = (OpenAI, Anthropic, Gemini, Ollama, Responses)
_DIALECTS = (OpenRouter, Moonshot, LMStudio, LlamaCpp, VLLM, Groq, DeepSeek)
FLAVOURS: dict[str, Shape] = {shape.name: shape() for shape in (*_SHAPES, *_DIALECTS)}


def shape_for(path: str, flavour: str) -> Shape | None:
    """Who answers a POST to that path: the flavour if it serves it, else the first shape that does."""
    wanted = FLAVOURS[flavour]
    return next((shape for shape in (wanted, *FLAVOURS.values()) if shape.serves(path)), None)
