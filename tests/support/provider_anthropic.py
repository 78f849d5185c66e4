"""Anthropic's messages: POST /v1/messages, named server-sent events, errors with a type and a request id."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from provider_history import problem_in
from provider_script import Json, Overflow, Reply, pieces_of
from provider_shapes import Answer, Block, Shape, encode, json_of, text_of

KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}
"""https://docs.claude.com/en/api/errors"""

REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}
REQUEST_ID = "req_011CUB2XUHWkFnQzxcKBbjpF"
SECONDS = {"5m": 300, "1h": 3600}
"""How long a cached prefix lives, and lives on when it is read."""


class Anthropic(Shape):
    """The real order of events: message_start, blocks with a ping among them, message_delta, message_stop."""

    name = "anthropic"
    caches_by_marker = True
    caches = (1024, 1)

    def serves(self, path: str) -> bool:
        return path.endswith("/messages")

    def missing_header(self, headers: dict[str, str]) -> str:
        return "" if headers.get("anthropic-version") else "anthropic-version: header is required"

    def blocks(self, body: Json) -> list[Block]:
        found = [_block("tool", tool, is_message=False) for tool in body.get("tools") or ()]
        system = body.get("system") or []
        parts = [{"type": "text", "text": system}] if isinstance(system, str) else system
        found += [_block("system", part, is_message=False) for part in parts]
        for message in body["messages"]:
            content = message["content"]
            parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
            found += [_block(message["role"], part, is_message=index == 0) for index, part in enumerate(parts)]
        return found

    def turns(self, body: Json) -> list[tuple[str, str]]:
        said = [("system", text_of(body["system"]))] if body.get("system") else []
        for message in body["messages"]:
            parts = message["content"] if isinstance(message["content"], list) else []
            results = [part for part in parts if part.get("type") == "tool_result"]
            said += [("tool", text_of(result.get("content"))) for result in results]
            rest = [part for part in parts if part.get("type") != "tool_result"] or message["content"]
            if not results or rest is not message["content"]:
                said.append((message["role"], text_of(rest)))
        return said

    def event(self, value: Json) -> bytes:
        return b"event: " + value.get("type", "message").encode() + b"\n" + super().event(value)

    def opening(self, reply: Reply, body: Json) -> Iterator[bytes]:
        message = self._message(body, [], None, self._usage(reply, 1)) | {"id": reply.message_id}
        yield self.event({"type": "message_start", "message": message})
        blocks = list(self._blocks_of(reply))
        for index, (start, deltas) in enumerate(blocks):
            yield self.event({"type": "content_block_start", "index": index, "content_block": start})
            if index == 0:
                yield self.event({"type": "ping"})
            for delta in deltas:
                yield self.event({"type": "content_block_delta", "index": index, "delta": delta})
            if index < len(blocks) - 1:
                yield self.event({"type": "content_block_stop", "index": index})

    def ending(self, reply: Reply, body: Json) -> Iterator[bytes]:
        last = len(list(self._blocks_of(reply))) - 1
        if last >= 0:
            yield self.event({"type": "content_block_stop", "index": last})
        tokens = reply.usage[1] if reply.usage else 0
        delta = {"stop_reason": self._reason(reply), "stop_sequence": None}
        yield self.event({"type": "message_delta", "delta": delta, "usage": self._usage(reply, tokens)})
        yield self.event({"type": "message_stop"})

    def _blocks_of(self, reply: Reply) -> Iterator[tuple[Json, list[Json]]]:
        """Each block's beginning and its deltas."""
        if reply.reasoning:
            deltas = [{"type": "thinking_delta", "thinking": p} for p in pieces_of(reply.reasoning, reply.size)]
            deltas.append({"type": "signature_delta", "signature": reply.signature})
            yield {"type": "thinking", "thinking": "", "signature": ""}, deltas
        if reply.text:
            pieces = pieces_of(reply.text, reply.size)
            yield {"type": "text", "text": ""}, [{"type": "text_delta", "text": piece} for piece in pieces]
        for call in reply.calls:
            start = {"type": "tool_use", "id": call.call_id, "name": call.name, "input": {}}
            # An input without fields comes as one empty fragment, and nothing more.
            pieces = ["", *pieces_of("" if call.arguments == "{}" else call.arguments, reply.size)]
            yield start, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]

    def _reason(self, reply: Reply) -> str:
        return "tool_use" if reply.calls and reply.finish == "stop" else REASONS.get(reply.finish, reply.finish)

    def _message(self, body: Json, content: list[Json], reason: str | None, usage: Json) -> Json:
        return {
            "id": "msg_01XFDUDYJgAACzvnptvVoYEL",
            "type": "message",
            "role": "assistant",
            "model": body.get("model", ""),
            "content": content,
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": usage,
        }

    def _usage(self, reply: Reply, tokens: int) -> Json:
        """Anthropic's input_tokens are those that were neither read from a cache nor written into one."""
        prompt, _, cached = reply.usage or (0, 0, 0)
        return {
            "input_tokens": prompt - cached - reply.written,
            "cache_creation_input_tokens": reply.written,
            "cache_read_input_tokens": cached,
            "cache_creation": {"ephemeral_5m_input_tokens": reply.written, "ephemeral_1h_input_tokens": 0},
            "output_tokens": tokens,
            "service_tier": "standard",
        }

    def error(self, code: int, message: str, kind: str = "") -> Json:
        named = kind if kind in KINDS.values() else KINDS.get(code, "api_error")
        return {"type": "error", "error": {"type": named, "message": message}, "request_id": REQUEST_ID}

    def refused_key(self, sent: str) -> Answer:
        return 401, encode(self.error(401, f"invalid x-api-key {sent}".strip())).decode()

    def unknown_model(self, model: str) -> Answer:
        return 404, encode(self.error(404, f"model: {model}")).decode()

    def malformed(self, body: Json) -> str:
        return problem_in("anthropic", body)

    def overflow(self, step: Overflow) -> Answer:
        # https://github.com/anthropics/claude-code/issues/59696, and with a reply docker/docker-agent#569
        said = f"prompt is too long: {step.tokens} tokens > {step.window} maximum"
        if step.reply:
            said = (
                f"input length and `max_tokens` exceed context limit: {step.tokens} + {step.reply} > {step.window}, "
                "decrease input length or `max_tokens` and try again"
            )
        return 400, encode(self.error(400, said)).decode()

    def page(self, method: str, path: str, body: Json, models: Sequence[str], window: int) -> Json | None:
        if method == "GET" and path.removeprefix("/v1") == "/models":
            entries = [{"type": "model", "id": name, "display_name": name, "created_at": "2025"} for name in models]
            return {"data": entries, "has_more": False, "first_id": models[0], "last_id": models[-1]}
        return None


def _block(role: str, part: Json, is_message: bool) -> Block:
    marker = part.get("cache_control")
    bare = {name: value for name, value in part.items() if name != "cache_control"}
    cached_for = SECONDS[marker.get("ttl", "5m")] if marker else 0
    return Block(f"{role}:{json_of(bare)}", _counted(part), cached_for, is_message)


def _counted(part: Json) -> str:
    match part.get("type"):
        case "text":
            return str(part["text"])
        case "thinking":
            return str(part["thinking"])
        case "tool_result":
            return text_of(part.get("content"))
        case "image" | "document":
            return ""
        case _:
            shown: Any = {name: value for name, value in part.items() if name not in ("cache_control", "type", "id")}
            return json_of(shown)
