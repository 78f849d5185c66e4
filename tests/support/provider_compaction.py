"""A script for providers that summarize conversations themselves, as the types of their packages describe it.

Anthropic (anthropic 2.14.0): with `compaction` and its beta header a request is answered with one `compaction` block.
Later requests have it first; its signature must verify, its content must be the signed one, and there must be one only.
OpenAI (openai 3.57.0): `/responses/compact` is answered with the user's messages and an encrypted item.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from provider_script import AnyStep, Events, Garbage, Json, Reply, Status
from provider_shapes import Shape

if TYPE_CHECKING:
    from provider import Request

BETA = "compact-2026-09-04"
COMPACT_FIELDS = {"model", "input", "instructions", "previous_response_id", "prompt_cache_key", "prompt_cache_options"}
COMPACT_FIELDS |= {"prompt_cache_retention", "service_tier", "image"}


class Compacting:
    """text: of the summary, None if the provider can write none. answer: the step for every other request.

    is_streamed: whether the block comes in events although none were asked for. refusal: a step in place of summaries.
    """

    window = 200_000

    def __init__(
        self,
        text: str | None,
        answer: Callable[[Request], AnyStep] = lambda request: Reply("Here."),
        *,
        is_streamed: bool = False,
        refusal: AnyStep | None = None,
        usage: tuple[int, int, int] = (4_000, 300, 3_500),
    ) -> None:
        self.text, self.answer, self.refusal = text, answer, refusal
        self.is_streamed, self.usage = is_streamed, usage
        self.knows_signatures = True
        """False once the provider does not accept what it has signed any more."""

    def take(self, request: Request, shape: Shape) -> AnyStep:
        problem = next(self._problems(request.body), "")
        if problem:
            code, _, said = problem.partition(": ")
            kind = {"type": "invalid_request_error", "message": said, "details": {"error_code": code}}
            return Status(400, body=json.dumps({"type": "error", "error": kind}))
        is_compact = request.path.endswith("/compact")
        if not is_compact and "compaction" not in request.body:
            return self.answer(request)
        if self.refusal is not None:
            return self.refusal
        if is_compact:
            return _json(self._items(request.body))
        return self._block(request)

    def _block(self, request: Request) -> AnyStep:
        if BETA not in request.headers.get("anthropic-beta", ""):
            return Status(400, "compaction: Extra inputs are not permitted", kind="invalid_request_error")
        block = {"type": "compaction", "content": self.text, "signature": signature_of(self.text), "tool_changes": []}
        prompt, reply, cached = self.usage
        none = {"input_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 0}
        own = {"type": "compaction", "input_tokens": prompt - cached, "cache_read_input_tokens": cached}
        usage = none | {"iterations": [own | {"cache_creation_input_tokens": 0, "output_tokens": reply}]}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": request.body["model"]}
        message |= {"content": [block], "stop_reason": "compaction", "stop_sequence": None, "usage": usage}
        if not self.is_streamed:
            return _json(message)
        begun = message | {"content": [], "stop_reason": None, "usage": none}
        delta = {"type": "compaction_delta", "content": self.text}
        return Events(
            (
                {"type": "message_start", "message": begun},
                {"type": "content_block_start", "index": 0, "content_block": block | {"content": None}},
                {"type": "content_block_delta", "index": 0, "delta": delta},
                {"type": "content_block_stop", "index": 0},
                {"type": "message_delta", "delta": {"stop_reason": "compaction"}, "usage": usage},
                {"type": "message_stop"},
            )
        )

    def _items(self, body: Json) -> Json:
        prompt, reply, cached = self.usage
        said = [item | {"type": "message", "id": "msg_1"} for item in body["input"] if item.get("role") == "user"]
        item = {"id": "cmp_1", "type": "compaction", "encrypted_content": signature_of(self.text)}
        usage = {"input_tokens": prompt, "input_tokens_details": {"cached_tokens": cached}, "output_tokens": reply}
        usage |= {"output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": prompt + reply}
        return {
            "id": "resp_1",
            "object": "response.compaction",
            "created_at": 1,
            "output": [*said, item],
            "usage": usage,
        }

    def _problems(self, body: Json) -> Iterator[str]:
        blocks = [
            (at, part)
            for at, message in enumerate(body.get("messages") or body["input"])
            for part in _parts(message)
            if part.get("type") == "compaction"
        ]
        if len(blocks) > 1:
            yield "compaction_block_ambiguous: more than one compaction block"
        for at, block in blocks:
            if "messages" in body and at:
                yield "compaction_block_misplaced: the compaction block is not the first block"
            signature = block.get("signature") or block.get("encrypted_content")
            if not self.knows_signatures or signature not in (signature_of(self.text), *self.signed):
                yield "compaction_signature_invalid: the compaction block's signature does not verify"
            if "content" in block and signature_of(block["content"]) != signature:
                yield "compaction_content_mismatch: the compaction block's content differs from what was signed"
        if unknown := set(body) - COMPACT_FIELDS if "messages" not in body and "stream" not in body else ():
            yield f"unknown_parameter: {sorted(unknown)}"

    signed: tuple[str, ...] = ()
    """Signatures of earlier summaries."""


def signature_of(text: str | None) -> str:
    return "sig-" + hashlib.sha256((text or "").encode()).hexdigest()


def _parts(message: Json) -> list[Json]:
    content: Any = message.get("content")
    return [message, *(part for part in (content if isinstance(content, list) else ()) if isinstance(part, dict))]


def _json(value: Json) -> Garbage:
    return Garbage(json.dumps(value), "application/json")
