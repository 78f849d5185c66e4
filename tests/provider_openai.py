"""OpenAI's chat completions, and what its imitators do differently within one reply."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from provider_history import problem_in
from provider_script import Call, Json, Overflow, Reply, pieces_of
from provider_shapes import Answer, Block, Shape, encode, json_of, text_of


class OpenAI(Shape):
    """POST /v1/chat/completions, server-sent events that end with [DONE]."""

    name = "openai"
    has_done = True
    reasoning = "reasoning_content"
    """The field of a delta that reasoning comes in."""

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
        if "filter first" in reply.odd:
            yield self.event(self.chunk(None) | {"prompt_filter_results": [{"prompt_index": 0}]})
        for chunk in self._deltas(reply):
            if "usage everywhere" in reply.odd and reply.usage is not None:
                chunk["usage"] = self.usage(reply)
            yield self.event(chunk)

    def _deltas(self, reply: Reply) -> Iterator[Json]:
        yield self.chunk({"role": "assistant", "content": ""})
        for piece in pieces_of(reply.reasoning, reply.size):
            yield self.chunk({self.reasoning: piece})
        for piece in pieces_of(reply.text, reply.size):
            yield self.chunk({"content": piece})
        if "one delta" in reply.odd:
            yield self.chunk({"tool_calls": [_whole_call(index, c, reply) for index, c in enumerate(reply.calls)]})
        else:
            for index, call in enumerate(reply.calls):
                for fragment in _fragments(index, call, reply):
                    yield self.chunk({"tool_calls": [fragment]})

    def ending(self, reply: Reply, body: Json) -> Iterator[bytes]:
        yield self.event(self.last_chunk(reply))
        if "after finish" in reply.odd:
            yield self.event(self.chunk({"content": ""}))
        if reply.usage is not None and self.is_usage_wanted(body):
            usage = self.event(self.usage_chunk(reply))
            yield from [usage] * (2 if "usage twice" in reply.odd else 1)
        if "no done" not in reply.odd:
            yield self.done()

    def is_usage_wanted(self, body: Json) -> bool:
        """Only where the request says so."""
        return bool((body.get("stream_options") or {}).get("include_usage"))

    def last_chunk(self, reply: Reply) -> Json:
        """The chunk that says why the reply ended."""
        return self.chunk({}, finish=self.finish(reply))

    def finish(self, reply: Reply) -> str:
        """Why it ended."""
        is_stop = reply.finish == "stop" and reply.calls and "says stop" not in reply.odd
        return "tool_calls" if is_stop else reply.finish

    def usage_chunk(self, reply: Reply) -> Json:
        """The chunk behind that one, with the usage."""
        return self.chunk(None) | {"usage": self.usage(reply)}

    def usage(self, reply: Reply) -> Json:
        """Tokens as reported."""
        prompt, tokens, cached = reply.usage or (0, 0, 0)
        return {
            "prompt_tokens": prompt,
            "completion_tokens": tokens,
            "total_tokens": prompt + tokens,
            "prompt_tokens_details": {"cached_tokens": cached},
        }

    def whole(self, reply: Reply, body: Json) -> Json:
        message: Json = {"role": "assistant", "content": reply.text or None}
        if reply.reasoning:
            message[self.reasoning] = reply.reasoning
        if reply.calls:
            message["tool_calls"] = [_whole_call(index, call, reply) for index, call in enumerate(reply.calls)]
        choice = {"index": 0, "message": message, "finish_reason": self.finish(reply)}
        answer = {"id": "scripted", "object": "chat.completion", "created": 1, "model": body.get("model")}
        return answer | {"choices": [choice]} | ({"usage": self.usage(reply)} if reply.usage else {})

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


def _fragments(index: int, call: Call, reply: Reply) -> Iterator[Json]:
    if "object arguments" in reply.odd:
        yield _whole_call(index, call, reply)
        return
    opening = {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": ""}}
    yield _marked(opening, index, reply)
    for piece in pieces_of(call.arguments, reply.size):
        yield _marked({"function": {"arguments": piece}}, index, reply)


def _whole_call(index: int, call: Call, reply: Reply) -> Json:
    arguments = json.loads(call.arguments) if "object arguments" in reply.odd else call.arguments
    function = {"name": call.name, "arguments": arguments}
    return _marked({"id": call.call_id, "type": "function", "function": function}, index, reply)


def _marked(fragment: Json, index: int, reply: Reply) -> Json:
    """The fragment with its index and id, or as an odd server leaves or mistakes them."""
    if "no ids" in reply.odd:
        fragment.pop("id", None)
    elif "same ids" in reply.odd and "id" in fragment:
        fragment["id"] = reply.calls[0].call_id
    return fragment if "no index" in reply.odd else {"index": index} | fragment
