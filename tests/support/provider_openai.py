"""OpenAI's chat completions, and what its imitators do differently within one reply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from provider_history import problem_in
from provider_script import Json, Overflow, Reply, pieces_of
from provider_shapes import Answer, Block, Shape, encode, json_of, text_of


class OpenAI(Shape):
    """POST /v1/chat/completions, server-sent events that end with [DONE]."""

    name = "openai"
    has_done = True
    reasoning = "reasoning_content"
    """The field of a delta that reasoning comes in."""
    _numbers = count(1)

    def serves(self, path: str) -> bool:
        return path.endswith("/chat/completions")

    def blocks(self, body: Json) -> list[Block]:
        tools = [Block(json_of(tool), json_of(tool), is_message=False) for tool in body.get("tools") or ()]
        return tools + [_block(message) for message in body["messages"]]

    def turns(self, body: Json) -> list[tuple[str, str]]:
        return [(message["role"], text_of(message.get("content"))) for message in body["messages"]]

    def chunk(self, delta: Json | None, finish: str | None = None) -> Json:
        """One chunk; without a delta it has no choices."""
        choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
        return {
            "id": "scripted",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "scripted",
            "choices": choices,
        }

    def opening(self, reply: Reply, body: Json) -> Iterator[bytes]:
        return map(self.event, self._deltas(reply))

    def unstreamed(self, reply: Reply, body: Json) -> Json | None:
        if body.get("stream"):
            return None
        message: Json = {"role": "assistant", "content": reply.text}
        if reply.reasoning:
            message[self.reasoning] = reply.reasoning
        if reply.calls:
            functions = [{"name": call.name, "arguments": call.arguments} for call in reply.calls]
            named = zip(reply.calls, functions, strict=True)
            message["tool_calls"] = [{"id": c.call_id, "type": "function", "function": f} for c, f in named]
        choice = {"index": 0, "message": message, "finish_reason": self.finish(reply)}
        name = f"scripted-{next(self._numbers)}"  # a client may tell replies apart by their ids
        about = {"id": name, "object": "chat.completion", "created": 1, "model": "scripted", "choices": [choice]}
        return about if reply.usage is None else about | {"usage": self.usage(reply)}

    def _deltas(self, reply: Reply) -> Iterator[Json]:
        yield self.chunk({"role": "assistant", "content": ""})
        for piece in pieces_of(reply.reasoning, reply.size):
            yield self.chunk({self.reasoning: piece})
        for piece in pieces_of(reply.text, reply.size):
            yield self.chunk({"content": piece})
        for index, call in enumerate(reply.calls):
            opening = {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": ""}}
            fragments = ({"function": {"arguments": piece}} for piece in pieces_of(call.arguments, reply.size))
            for fragment in (opening, *fragments):
                yield self.chunk({"tool_calls": [{"index": index} | fragment]})

    def ending(self, reply: Reply, body: Json) -> Iterator[bytes]:
        yield self.event(self.last_chunk(reply))
        if reply.usage is not None and self.is_usage_wanted(body):
            yield self.event(self.chunk(None) | {"usage": self.usage(reply)})
        yield self.done()

    def is_usage_wanted(self, body: Json) -> bool:
        """Only where the request says so."""
        return bool((body.get("stream_options") or {}).get("include_usage"))

    def last_chunk(self, reply: Reply) -> Json:
        """The chunk that says why the reply ended."""
        return self.chunk({}, finish=self.finish(reply))

    def finish(self, reply: Reply) -> str:
        """Why it ended."""
        return "tool_calls" if reply.finish == "stop" and reply.calls else reply.finish

    def usage(self, reply: Reply) -> Json:
        """Tokens as reported."""
        prompt, tokens, cached = reply.usage or (0, 0, 0)
        return {
            "prompt_tokens": prompt,
            "completion_tokens": tokens,
            "total_tokens": prompt + tokens,
            "prompt_tokens_details": {"cached_tokens": cached},
        }

    def error(self, code: int, message: str, kind: str = "") -> Json:
        return {"error": {"message": message, "type": kind or "error", "param": None, "code": kind or code}}

    def malformed(self, body: Json) -> str:
        return problem_in("openai", body)

    def overflow(self, step: Overflow) -> Answer:
        # https://github.com/crewAIInc/crewAI-examples/issues/121, and with a reply conghaonet/hao_chatgpt#4
        asked = f"your messages resulted in {step.tokens} tokens. Please reduce the length of the messages."
        if step.reply:
            asked = (
                f"you requested {step.tokens + step.reply} tokens ({step.tokens} in the messages, {step.reply} in the "
                "completion). Please reduce the length of the messages or completion."
            )
        said = f"This model's maximum context length is {step.window} tokens. However, {asked}"
        inner = {"message": said, "type": "invalid_request_error", "param": "messages"}
        return 400, encode({"error": inner | {"code": "context_length_exceeded"}}).decode()

    def page(self, method: str, path: str, body: Json, models: Sequence[str], window: int) -> Json | None:
        if method == "GET" and path.removeprefix("/v1") == "/models":
            return {"object": "list", "data": [self.model_entry(name, window) for name in models]}
        return None

    def model_entry(self, name: str, window: int) -> Json:
        """A line in the list of models."""
        return {"id": name, "object": "model", "created": 1, "owned_by": "scripted"}


def _block(message: Json) -> Block:
    calls = message.get("tool_calls")
    counted = text_of(message.get("content")) + (json_of(calls) if calls else "")
    return Block(json_of(message), counted)
