"""Gemini's generateContent: candidates with parts, calls that come whole, thoughts with their signatures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from provider_history import problem_in
from provider_script import Call, Json, Overflow, Reply, pieces_of
from provider_shapes import Answer, Block, Shape, encode, json_of, text_of

STATES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
"""https://ai.google.dev/gemini-api/docs/troubleshooting"""

REASONS = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}


class Gemini(Shape):
    """POST .../models/NAME:streamGenerateContent?alt=sse."""

    name = "gemini"
    has_fragments = False

    def serves(self, path: str) -> bool:
        return path.endswith(":streamGenerateContent")

    def model_of(self, path: str, body: Json) -> str:
        return path.rpartition("/models/")[2].partition(":")[0] if "/models/" in path else ""

    def max_tokens(self, body: Json) -> int:
        settings = body.get("generationConfig") or {}
        return int(settings.get("maxOutputTokens") or settings.get("max_output_tokens") or 0)

    def blocks(self, body: Json) -> list[Block]:
        tools = [Block(json_of(tool), json_of(tool), is_message=False) for tool in body.get("tools") or ()]
        system = body.get("systemInstruction") or body.get("system_instruction")
        first = [Block("system:" + json_of(system), text_of(system), is_message=False)] if system else []
        return first + tools + [Block(json_of(content), _counted(content)) for content in body["contents"]]

    def turns(self, body: Json) -> list[tuple[str, str]]:
        system = body.get("systemInstruction") or body.get("system_instruction")
        said = [("system", text_of(system))] if system else []
        for content in body["contents"]:
            results = [part for part in content["parts"] if _response_of(part) is not None]
            role = "tool" if results else {"model": "assistant"}.get(content.get("role", ""), "user")
            said.append((role, "\n".join(map(json_of, results)) if results else text_of(content["parts"])))
        return said

    def opening(self, reply: Reply, body: Json) -> Iterator[bytes]:
        for piece in pieces_of(reply.reasoning, reply.size):
            yield self._chunk([{"text": piece, "thought": True}], reply)
        for piece in pieces_of(reply.text, reply.size):
            yield self._chunk([{"text": piece}], reply)
        for index, call in enumerate(reply.calls):
            yield self._chunk([_call_part(call, reply.signature if index == 0 else "")], reply)

    def ending(self, reply: Reply, body: Json) -> Iterator[bytes]:
        yield self._chunk([{"text": ""}], reply, REASONS.get(reply.finish, reply.finish))

    def _chunk(self, parts: list[Json], reply: Reply, reason: str = "") -> bytes:
        candidate: Json = {"content": {"parts": parts, "role": "model"}, "index": 0}
        if reason:
            candidate["finishReason"] = reason
        answer: Json = {"candidates": [candidate]}
        if reply.usage is not None:
            answer["usageMetadata"] = self._usage(reply, is_last=bool(reason))
        return self.event(answer | {"modelVersion": "scripted", "responseId": "Il0taoSYJ5Cez7IPscripted"})

    def _usage(self, reply: Reply, is_last: bool) -> Json:
        prompt, tokens, cached = reply.usage or (0, 0, 0)
        tokens = tokens if is_last else 0
        usage = {"promptTokenCount": prompt, "candidatesTokenCount": tokens, "totalTokenCount": prompt + tokens}
        return usage | ({"cachedContentTokenCount": cached} if cached else {})

    def error(self, code: int, message: str, kind: str = "") -> Json:
        state = kind if kind in STATES.values() else STATES.get(code, "UNKNOWN")
        return {"error": {"code": code, "message": message, "status": state}}

    def refused_key(self, sent: str) -> Answer:
        body = self.error(400, f"API key not valid. Please pass a valid API key. {sent}".strip())
        reason = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
        body["error"]["details"] = [reason | {"domain": "googleapis.com"}]
        return 400, encode(body).decode()

    def unknown_model(self, model: str) -> Answer:
        said = f"models/{model} is not found for API version v1beta, or is not supported for generateContent."
        return 404, encode(self.error(404, said)).decode()

    def malformed(self, body: Json) -> str:
        return problem_in("gemini", body)

    def overflow(self, step: Overflow) -> Answer:
        # https://github.com/google-gemini/gemini-cli/issues/4231
        said = f"The input token count ({step.tokens}) exceeds the maximum number of tokens allowed ({step.window})."
        return 400, encode(self.error(400, said)).decode()

    def page(self, method: str, path: str, body: Json, models: Sequence[str], window: int) -> Json | None:
        if method == "GET" and path.endswith("/models"):
            limits = {"inputTokenLimit": window, "outputTokenLimit": min(window, 65_536)}
            return {"models": [{"name": f"models/{name}", "displayName": name} | limits for name in models]}
        return None


def _response_of(part: Json) -> Json | None:
    return part.get("functionResponse") or part.get("function_response")


def _counted(content: Json) -> str:
    parts = [part for part in content["parts"] if "text" not in part and "inline_data" not in part]
    return text_of([part for part in content["parts"] if "text" in part]) + "".join(map(json_of, parts))


def _call_part(call: Call, signature: str) -> Json:
    part: Json = {"functionCall": {"name": call.name, "args": json.loads(call.arguments)}}
    return part | ({"thoughtSignature": signature} if signature else {})
