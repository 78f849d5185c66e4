"""A wire case: what a server answers, what the user types, and what must be stored, played through the real litellm.

A file of tests/models/wire_cases is one JSON object. `report` says where it was seen. `model` is as for `palimpsest
chat --model`, `root` the path of the base URL ("/v1"); `window`, `allow`, `settings`, `files` (of the working folder,
{"base64": …} for bytes) and `seed` (OpenAI's messages) are what is there before; `stdin` has the lines that the user
types; {"text", "times"} is a long one, as in `seed`. `models` is what GET …/models answers, `pages` what others do, by
the end of their path. `replies` answer, in their order, the requests that carry tools, each with `status`, `headers`,
and `body` or `events`: server-sent events as objects, "[DONE]" as a text. The last one repeats. `refuse` is such an
answer with `when`, a Python expression over `body`, `n` (the request's number), `size` (its characters), `calls` (its
messages with calls) and `images` (its pictures); it is asked first. `other` answers requests without tools. @EST@ in an
answer is a quarter of the characters of the request, @EST-1500@ that less 1,500.

`expect` has what must come of it, each part optional: `replies` (the texts of the model's messages), `thoughts`,
`interrupted` (of each of them), `calls` ([name, arguments] of all), `results` (a part of each), `notices`, `failures`
(the kinds of both), `usage` (some fields of the last reply's), `requests` (how many carried tools), `window`, `gauge`
([least, most] at the end), and `sent`: Python expressions over `bodies`, the bodies of those requests, that must hold.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from desktop_app.commands.attached import attached_in
from desktop_app.commands.chat import ending_of, server_of
from desktop_app.conversation.events import GaugeChanged, MessageRecorded, Noticed, TurnEvent, TurnFailed
from desktop_app.conversation.message import Message, Reasoning, Role
from desktop_app.conversation.openai_chat import messages_of
from desktop_app.engine.compose import compose_services
from desktop_app.permissions.rules import rules_of_option
from desktop_app.settings import Settings

Json = dict[str, Any]
COUNTED = ("messages", "input", "contents", "tools", "system", "instructions")


def _characters(body: Json) -> int:
    return len(json.dumps({name: body[name] for name in COUNTED if name in body}, ensure_ascii=False))


def _names(body: Json, n: int) -> Json:
    messages = body.get("messages", [])
    parts = [part for m in messages if isinstance(m.get("content"), list) for part in m["content"]]
    images = [part for part in parts if part.get("type") in ("image", "image_url")]
    calls = [message for message in messages if message.get("tool_calls")]
    return {"body": body, "n": n, "size": _characters(body), "json": json, "calls": calls, "images": images}


def _encoded(reply: Json, body: Json) -> bytes:
    text = reply.get("body", "")
    if "events" in reply:
        events = (event if isinstance(event, str) else json.dumps(event) for event in reply["events"])
        text = "".join(f"data: {event}\n\n" for event in events)
    text = text if isinstance(text, str) else json.dumps(text)
    pattern, size = r'"?@EST(?:([-+])(\d+))?@"?', _characters(body) // 4
    return re.sub(pattern, lambda m: str(max(0, size + int((m[1] or "+") + (m[2] or "0")))), text).encode()


@contextmanager
def served(case: Json) -> Iterator[tuple[str, list[Json]]]:
    """Serve the case's answers on loopback: yield the base URL, and the bodies of the requests that carry tools."""
    bodies: list[Json] = []

    def reply_to(body: Json) -> Json:
        if not body.get("tools") or "long-term memory of a chat program" in json.dumps(body):
            return case.get("other") or case["replies"][-1]
        bodies.append(body)
        refused = case.get("refuse")
        if refused and eval(refused["when"], _names(body, len(bodies))):
            return refused
        return case["replies"][min(len(bodies), len(case["replies"])) - 1]

    class Connection(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            pages = case.get("pages", {}) | ({"/models": case["models"]} if "models" in case else {})
            page = next((content for path, content in pages.items() if self.path.endswith(path)), None)
            self._answer(*((404, b"{}", {}) if page is None else (200, json.dumps(page).encode(), {})))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if body.keys().isdisjoint(("messages", "input", "contents")):
                return self._answer(404, b"{}", {})
            reply = reply_to(body)
            return self._answer(reply.get("status", 200), _encoded(reply, body), reply.get("headers", {}))

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
        yield f"http://127.0.0.1:{server.server_address[1]}{case.get('root', '/v1')}", bodies
    finally:
        server.shutdown()
        server.server_close()


async def play(case: Json, folder: Path) -> Json:
    """Take the turns of the case in an empty folder, and return everything that `expect` can name."""
    work, data = folder / "work", folder / "data"
    work.mkdir()
    data.mkdir()
    for name, content in case.get("files", {}).items():
        of = base64.b64decode(content["base64"]) if isinstance(content, dict) else content.encode()
        (work / name).write_bytes(of)
    settings = json.dumps(case.get("settings", {})).replace("@PYTHON@", sys.executable).replace("@WORK@", str(work))
    (data / "settings.json").write_text(settings)
    events: list[TurnEvent] = []
    bugs: list[BaseException] = []
    with served(case) as (address, bodies):
        model, server = server_of(case["model"], address, case.get("window"))

        def with_server(settings: Settings) -> Settings:
            assert server is not None
            return replace(settings, chat_model=model, servers=(*settings.servers, server), folder=str(work))

        allowed = rules_of_option(case["allow"]) if case.get("allow") else ()
        services = await compose_services(
            data, events.append, lambda: None, bugs.append, with_server, allowed=allowed, is_attended=False
        )
        try:
            await services.get_ready()
            chats, seed = services.conversations, messages_of(_seed(case), lambda index: f"seed{index}")
            session = await chats.create(model=model, messages=seed)
            for line in case["stdin"]:
                text = _text(line)
                await chats.turns.send(session, text, await attached_in(text, work))
                await chats.turns.wait_until_idle(session.id, with_room=True)
            assert not bugs
            return _outcome(events, [e for e in session.transcript.entries if isinstance(e, Message)], bodies)
        finally:
            await services.close()


def _text(line: Any) -> str:
    return line["text"] * line["times"] if isinstance(line, dict) else line


def _seed(case: Json) -> Iterator[Json]:
    for message in case.get("seed", ()):
        yield message | {"content": _text(message.get("content"))}


def _outcome(events: list[TurnEvent], messages: list[Message], bodies: list[Json]) -> Json:
    recorded = [e.row.message for e in events if isinstance(e, MessageRecorded)]
    replies = [m for m in recorded if m.role is Role.ASSISTANT]
    calls = [call for m in replies for call in m.tool_calls]
    gauge = next((e.gauge for e in reversed(events) if isinstance(e, GaugeChanged)), None)
    usage = next((m.usage for m in reversed(replies) if m.usage is not None), None)
    endings = [ending_of(m).kind for m in replies if m.ending]
    return {
        "replies": [m.text for m in replies],
        "thoughts": ["".join(part.text for part in m.parts if isinstance(part, Reasoning)) for m in replies],
        "interrupted": [m.is_interrupted for m in replies],
        "calls": [[call.name, _json(call.arguments)] for call in calls],
        "results": [m.tool_result.text for m in recorded if m.tool_result is not None],
        "notices": [e.notice.kind for e in events if isinstance(e, Noticed)] + endings,
        "failures": [e.failure.kind for e in events if isinstance(e, TurnFailed)],
        "usage": {} if usage is None else {name: getattr(usage, name) for name in usage.__struct_fields__},
        "requests": len(bodies),
        "window": gauge.window if gauge else 0,
        "gauge": gauge.total if gauge else 0,
        "bodies": bodies,
        "stored": [m.text for m in messages if m.role is Role.ASSISTANT],
    }


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
