"""OpenAI's Responses API: POST /v1/responses, typed events with their numbers, items instead of messages.

https://platform.openai.com/docs/api-reference/responses-streaming
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from provider_history import problem_in
from provider_openai import OpenAI
from provider_script import Call, Json, Overflow, Reply, pieces_of
from provider_shapes import Answer, Block, encode, json_of, text_of

INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}
"""Why a reply is "incomplete"; every other one is "completed"."""


class Responses(OpenAI):
    """The Codex models' API. A stream ends with response.completed, .incomplete or .failed, without [DONE]."""

    name = "responses"
    has_done = False

    def serves(self, path: str) -> bool:
        return path.endswith(("/responses", "/responses/compact"))

    def unstreamed(self, reply: Reply, body: Json) -> None:
        return None

    def max_tokens(self, body: Json) -> int:
        return int(body.get("max_output_tokens") or 0)

    def blocks(self, body: Json) -> list[Block]:
        tools = [Block(json_of(tool), json_of(tool), is_message=False) for tool in body.get("tools") or ()]
        first = [Block("system:" + body["instructions"], body["instructions"])] if body.get("instructions") else []
        return first + tools + [Block(json_of(item), _counted(item)) for item in _items(body)]

    def turns(self, body: Json) -> list[tuple[str, str]]:
        said = [("system", str(body["instructions"]))] if body.get("instructions") else []
        for item in _items(body):
            match item.get("type", "message"):
                case "function_call_output":
                    said.append(("tool", text_of(item.get("output"))))
                case "message":
                    said.append((item["role"], text_of(item.get("content"))))
                case "function_call":
                    said.append(("assistant", ""))
        return said

    def event(self, value: Json) -> bytes:
        return b"event: " + value["type"].encode() + b"\ndata: " + encode(value) + b"\n\n"

    def opening(self, reply: Reply, body: Json) -> Iterator[bytes]:
        for number, event in enumerate(self._events(reply, body)):
            yield self.event(event | {"sequence_number": number})

    def ending(self, reply: Reply, body: Json) -> Iterator[bytes]:
        events = [item_done for _, _, item_done in _written(reply)][-1:]
        reason = INCOMPLETE.get(reply.finish)
        status = "incomplete" if reason else "completed"
        details = {"incomplete_details": {"reason": reason}} if reason else {}
        response = self.whole(reply, body) | details
        events.append({"type": f"response.{status}", "response": response | {"status": status}})
        # The numbers go on where the opening left off: it has an event more than items, deltas and their ends.
        last = sum(1 for _ in self._events(reply, body))
        for number, event in zip(count(last), events, strict=False):
            yield self.event(event | {"sequence_number": number})

    def _events(self, reply: Reply, body: Json) -> Iterator[Json]:
        started = self.whole(Reply(), body) | {"status": "in_progress", "usage": None}
        yield {"type": "response.created", "response": started}
        yield {"type": "response.in_progress", "response": started}
        written = list(_written(reply))
        for index, (item_added, deltas, item_done) in enumerate(written):
            yield item_added
            yield from deltas
            if index < len(written) - 1:
                yield item_done

    def whole(self, reply: Reply, body: Json) -> Json:
        response: Json = {
            "id": "resp_scripted",
            "object": "response",
            "created_at": 1,
            "status": "completed",
            "error": None,
            "incomplete_details": None,
            "model": body.get("model"),
            "output": [item_done["item"] for _, _, item_done in _written(reply)],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "temperature": 1.0,
            "top_p": 1.0,
            "metadata": {},
        }
        return response | {"usage": self.usage(reply) if reply.usage else None}

    def usage(self, reply: Reply) -> Json:
        prompt, tokens, cached = reply.usage or (0, 0, 0)
        return {
            "input_tokens": prompt,
            "input_tokens_details": {"cached_tokens": cached},
            "output_tokens": tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": prompt + tokens,
        }

    def error_event(self, code: int, message: str, kind: str) -> bytes:
        error = {"type": kind or "server_error", "code": kind or "server_error", "message": message, "param": None}
        return self.event({"type": "error", "sequence_number": 9, "error": error})

    def malformed(self, body: Json) -> str:
        return problem_in("responses", body)

    def overflow(self, step: Overflow) -> Answer:
        # https://github.com/dyad-sh/dyad/issues/1672; it does not say how many tokens there were
        said = "Your input exceeds the context window of this model. Please adjust your input and try again."
        error = {"type": "invalid_request_error", "code": "context_length_exceeded", "message": said}
        return 400, encode({"error": error | {"param": "input"}}).decode()


def _items(body: Json) -> list[Json]:
    given = body.get("input") or []
    return [{"role": "user", "content": given}] if isinstance(given, str) else given


def _counted(item: Json) -> str:
    match item.get("type", "message"):
        case "message":
            return text_of(item.get("content"))
        case "function_call_output":
            return text_of(item.get("output"))
        case "reasoning":
            return text_of(item.get("summary"))
        case _:
            return f"{item.get('name', '')}{item.get('arguments', '')}"


def _written(reply: Reply) -> Iterator[tuple[Json, list[Json], Json]]:
    """For each item of the output: the event that begins it, its deltas, and the event that ends it."""
    index = count()
    if reply.reasoning:
        yield _thought(next(index), reply)
    if reply.text:
        yield _message(next(index), reply)
    for call in reply.calls:
        yield _call(next(index), call, reply)


def _item(index: int, item: Json, deltas: list[Json], whole: Json) -> tuple[Json, list[Json], Json]:
    at = {"item_id": item["id"], "output_index": index}
    added = {"type": "response.output_item.added", "output_index": index, "item": item}
    done = {"type": "response.output_item.done", "output_index": index, "item": item | whole}
    return added, [delta | at for delta in deltas], done


def _thought(index: int, reply: Reply) -> tuple[Json, list[Json], Json]:
    item = {"id": f"rs_{index}", "type": "reasoning", "summary": []}
    kind = "response.reasoning_summary_text.delta"
    deltas = [{"type": kind, "summary_index": 0, "delta": piece} for piece in pieces_of(reply.reasoning, reply.size)]
    summary = [{"type": "summary_text", "text": reply.reasoning}]
    return _item(index, item, deltas, {"summary": summary, "encrypted_content": reply.signature})


def _message(index: int, reply: Reply) -> tuple[Json, list[Json], Json]:
    item = {"id": f"msg_{index}", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    part = {"type": "output_text", "text": "", "annotations": []}
    deltas: list[Json] = [{"type": "response.content_part.added", "content_index": 0, "part": part}]
    kind = {"type": "response.output_text.delta", "content_index": 0, "logprobs": []}
    deltas += [kind | {"delta": piece} for piece in pieces_of(reply.text, reply.size)]
    return _item(index, item, deltas, {"status": "completed", "content": [part | {"text": reply.text}]})


def _call(index: int, call: Call, reply: Reply) -> tuple[Json, list[Json], Json]:
    item = {"id": f"fc_{index}", "type": "function_call", "status": "in_progress", "call_id": call.call_id}
    item |= {"name": call.name, "arguments": ""}
    kind = "response.function_call_arguments.delta"
    deltas = [{"type": kind, "delta": piece} for piece in pieces_of(call.arguments, reply.size)]
    return _item(index, item, deltas, {"status": "completed", "arguments": call.arguments})
