"""A server that refuses a conversation's first request, or each one that has what it names, and then serves it.

Each conversation has a server of its own: a path of one loopback address, so that what is learned from one refusal does
not change another. `play` sends two messages in each conversation, and reports what went wrong with the second one.
"""

from __future__ import annotations

import base64
import json
import struct
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from desktop_app.chat.session import Session
from desktop_app.conversation.events import TurnEvent, TurnFailed
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.openai_chat import messages_of
from desktop_app.conversation.setup import ConversationSetup, Persona, ReplyOptions
from desktop_app.conversation.transcript import Compaction
from desktop_app.engine.compose import EngineServices, compose_services
from desktop_app.settings import ModelLimits, Server, ServerKind, Settings

Json = dict[str, Any]
WINDOW = 100_000
SYSTEM = "You answer a message after a refusal."
"""The system prompt, which shows that a request is of the conversation and not beside it."""
TALK = "The harbour was rebuilt in stone after the storm, and the ledger of that year names each mason. "
PERSONA = "With options"


class Refusal(msgspec.Struct, frozen=True):
    """An answer that is no reply. body: as sent. begins: whether a part of a reply comes before it."""

    name: str
    status: int
    body: str
    headers: dict[str, str] = {}
    kind: ServerKind = "openai_compatible"
    keeps: Callable[[Json, int, int], bool] | None = None
    """Whether a request has what is refused, by its body, its size and the size of the first one; None to refuse only
    the first."""
    begins: bool = False
    picture: bool = False
    is_stated: bool = True
    """Whether the settings state the window; otherwise the server does."""

    def __str__(self) -> str:
        keeps = "while it is so" if self.keeps else "once"
        return f"{self.name} ({self.kind}, {keeps}{', begun' if self.begins else ''}): {self.status} {self.body[:300]}"


ROOTS: dict[str, str] = {"anthropic": "", "gemini": "", "ollama": ""}
MODELS: dict[str, str] = {"openai": "gpt-5.4", "anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-pro"}


def _events(*events: Json | str) -> bytes:
    return "".join(f"data: {e if isinstance(e, str) else json.dumps(e)}\n\n" for e in events).encode()


def _named(*events: Json) -> bytes:
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode()


def begun(kind: ServerKind, text: str) -> bytes:
    """Return the beginning of a reply."""
    if kind == "anthropic":
        message = {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "c", "usage": {}}
        block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
        return _named({"type": "message_start", "message": message}, block, delta)
    if kind == "gemini":
        return _events({"candidates": [{"content": {"parts": [{"text": text}], "role": "model"}}]})
    if kind == "ollama":
        return json.dumps({"message": {"role": "assistant", "content": text}, "done": False}).encode() + b"\n"
    if kind == "openai":
        return _named({"type": "response.output_text.delta", "item_id": "i", "output_index": 0, "delta": text})
    return _events({"id": "c", "choices": [{"index": 0, "delta": {"role": "assistant", "content": text}}]})


def served(kind: ServerKind, text: str, tokens: int) -> bytes:
    """Return a whole reply, with a usage of that many tokens."""
    if kind == "anthropic":
        usage = {"input_tokens": tokens, "output_tokens": 5}
        delta = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage}
        return begun(kind, text) + _named({"type": "content_block_stop", "index": 0}, delta, {"type": "message_stop"})
    if kind == "gemini":
        usage = {"promptTokenCount": tokens, "candidatesTokenCount": 5, "totalTokenCount": tokens + 5}
        content = {"parts": [{"text": text}], "role": "model"}
        return _events({"candidates": [{"content": content, "finishReason": "STOP"}], "usageMetadata": usage})
    if kind == "ollama":
        end = {"done": True, "done_reason": "stop", "prompt_eval_count": tokens, "eval_count": 5}
        return begun(kind, text) + json.dumps({"message": {"role": "assistant", "content": ""}} | end).encode() + b"\n"
    if kind == "openai":
        item = {"type": "message", "id": "i", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
        usage = {"input_tokens": tokens, "output_tokens": 5, "total_tokens": tokens + 5}
        whole = {"id": "r", "status": "completed", "output": [item], "usage": usage}
        return begun(kind, text) + _named({"type": "response.completed", "response": whole})
    usage = {"prompt_tokens": tokens, "completion_tokens": 5, "total_tokens": tokens + 5}
    end = {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    return begun(kind, text) + _events(end, {"id": "c", "choices": [], "usage": usage}, "[DONE]")


class _Served:
    """The state of one conversation's server."""

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal
        self.first_size = self.refused = 0
        self.bodies: list[Json] = []
        self.replies: list[str] = []

    def answer(self, body: Json) -> tuple[int, bytes, dict[str, str]]:
        content = json.dumps(body)
        if SYSTEM not in content:
            return 200, served(self.refusal.kind, "A short note.", len(content) // 4), {}
        refusal, size = self.refusal, len(content)
        self.first_size = self.first_size or size
        self.bodies.append(body)
        is_refused = not self.refused or bool(refusal.keeps and refusal.keeps(body, size, self.first_size))
        if is_refused:
            self.refused += 1
            start = begun(refusal.kind, "It begins ") if refusal.begins else b""
            return refusal.status, start + refusal.body.encode(), refusal.headers
        self.replies.append(f"Reply {len(self.replies) + 1}.")
        return 200, served(refusal.kind, self.replies[-1], size // 4), {}


@contextmanager
def _serving(states: Sequence[_Served]) -> Iterator[str]:
    class Connection(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            models = {"data": [{"id": "m", "max_model_len": WINDOW}]}
            is_list = self.path.endswith("/models")
            self._answer(200 if is_list else 404, json.dumps(models if is_list else {}).encode(), {})

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["content-length"]))
            body = json.loads(content)
            if body.keys().isdisjoint(("messages", "input", "contents")):
                return self._answer(404, b"{}", {})
            return self._answer(*states[int(self.path.split("/")[1])].answer(body))

        def _answer(self, status: int, content: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in {"content-type": "application/json", **headers, "content-length": len(content)}.items():
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is logged."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Connection)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def _picture(shade: int) -> str:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = zlib.compress((b"\0" + bytes([shade]) * 24) * 8)
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0))
    png = b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(png).decode()


def seed(refusal: Refusal, number: int) -> list[Message]:
    """Return a conversation with thoughts, two calls in a reply, long results and, if asked for, pictures."""
    calls = [
        {
            "id": f"call{i}00000",
            "type": "function",
            "function": {"name": "read", "arguments": json.dumps({"path": f"{i}.txt"})},
        }
        for i in range(2)
    ]
    question: Any = "What do the two files say?"
    if refusal.picture:
        images = [{"type": "image_url", "image_url": {"url": _picture(shade)}} for shade in range(3)]
        question = [{"type": "text", "text": question}, *images]
    messages: list[Json] = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": question},
        {"role": "assistant", "content": "I read both.", "reasoning_content": "Two files.", "tool_calls": calls},
        *(
            {"role": "tool", "tool_call_id": call["id"], "content": f"{i}: " + TALK * 60}
            for i, call in enumerate(calls)
        ),
        {"role": "assistant", "content": "Both tell of the harbour. " + TALK * 30},
        {"role": "user", "content": "And the ledger? " + TALK * 60},
        {"role": "assistant", "content": "It names each mason. " + TALK * 60},
    ]
    return messages_of(messages, lambda index: f"seed{number}-{index}")


async def play(refusals: Sequence[Refusal], folder: Path) -> list[str]:
    """Send two messages in a conversation for each refusal. Return what went wrong, a text for each."""
    states = [_Served(refusal) for refusal in refusals]
    (folder / "work").mkdir(parents=True)
    (folder / "data").mkdir()
    bugs: list[BaseException] = []
    events: list[TurnEvent] = []
    with _serving(states) as address:

        def with_servers(settings: Settings) -> Settings:
            servers = tuple(_server(index, refusal, address) for index, refusal in enumerate(refusals))
            options = ReplyOptions(temperature=0.3, top_p=0.9)
            personas = (Persona(PERSONA, setup=ConversationSetup(options=options)),)
            return replace(
                settings, servers=servers, personas=personas, is_memory_on=False, is_recalling=False,
                folder=str(folder / "work"),
            )  # fmt: skip

        services = await compose_services(
            folder / "data", events.append, lambda: None, bugs.append, with_servers, is_attended=False
        )
        try:
            await services.get_ready()
            wrong: list[str] = []
            for index, state in enumerate(states):
                del events[:]
                problems = await _play_one(services, index, state, events)
                problems += [f"bug {type(bug).__name__}: {bug}" for bug in bugs]
                del bugs[:]
                wrong += [f"{state.refusal}\n    {'; '.join(problems)}"] if problems else []
            return wrong
        finally:
            await services.close()


def _server(index: int, refusal: Refusal, address: str) -> Server:
    name = MODELS.get(refusal.kind, "m")
    limits = {name: ModelLimits(supports_vision=True)}
    root = ROOTS.get(refusal.kind, "/v1")
    window = WINDOW if refusal.is_stated or refusal.kind != "openai_compatible" else 0
    return Server(f"s{index}", f"{address}/{index}{root}", (name,), window, kind=refusal.kind, limits=limits)


async def _play_one(services: EngineServices, index: int, state: _Served, events: list[TurnEvent]) -> list[str]:
    chats, refusal = services.conversations, state.refusal
    before = seed(refusal, index)
    name = MODELS.get(refusal.kind, "m")
    session = await chats.create(model=f"s{index}/{name}", messages=before, persona=PERSONA)
    recorded = list(session.transcript.entries)
    asked = (f"First question {index}?", f"Second question {index}?")
    for text in asked:
        failed_before = sum(isinstance(e, TurnFailed) for e in events)
        served_before = len(state.replies)
        await chats.turns.send(session, text, ())
        await chats.turns.wait_until_idle(session.id, with_room=True)
    failures = [e.failure for e in events if isinstance(e, TurnFailed)]
    problems = [f"the second message failed: {f.kind}: {f.title}; {f.detail}" for f in failures[failed_before:]]
    entries = list(session.transcript.entries)
    messages = [e for e in entries if isinstance(e, Message)]
    if not state.refused:
        problems.append("nothing was refused")
    if len(state.replies) != served_before + 1:
        problems.append(f"{len(state.replies) - served_before} replies were served to the second message")
    if not messages or messages[-1].role is not Role.ASSISTANT or messages[-1].text != (state.replies or [""])[-1]:
        problems.append(f"the newest message is {messages[-1].role}: {messages[-1].text[:80]!r}")
    texts = [m.text for m in messages if m.role is Role.USER]
    if [text for text in texts if "question" in text] != list(asked):
        problems.append(f"the messages of the user are {texts[-3:]}")
    replies = [m.text for m in messages if m.role is Role.ASSISTANT]
    problems += [f"stored {replies.count(text)} times: {text}" for text in state.replies if replies.count(text) != 1]
    if entries[: len(recorded)] != recorded:
        problems.append("the conversation before it has changed")
    ids = [entry.id for entry in entries]
    if len(ids) != len(set(ids)):
        problems.append("an id is there twice")
    problems += await _problems_of_archive(services, session)
    if state.bodies and not problems:
        is_archived = any(isinstance(entry, Compaction) for entry in entries)
        problems += _problems_of_request(json.dumps(state.bodies[-1]), asked[1:] if is_archived else asked)
    return problems


async def _problems_of_archive(services: EngineServices, session: Session) -> list[str]:
    stored = await services.conversations.archive.entries(session.id)
    return [] if list(stored) == list(session.transcript.entries) else ["the archive has something else"]


def _problems_of_request(sent: str, asked: Sequence[str]) -> list[str]:
    return [f"sent {sent.count(text)} times: {text}" for text in asked if sent.count(text) != 1]
