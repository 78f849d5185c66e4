"""Servers that misbehave, each in a way of its own, which is the first argument. Written by hand, so that they can
break every rule, and start in a few hundredths of a second."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

HOW = sys.argv[1] if len(sys.argv) > 1 else "well"
MODERN = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if HOW == "modern" else {}
PLAIN = {"type": "object", "properties": {"size": {"type": "integer"}}}
DESTRUCTIVE = {"destructiveHint": True}


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": f"The tool {name}.", "inputSchema": PLAIN, **more}


def write(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def initialize(params: dict[str, Any]) -> dict[str, Any]:
    version = "1999-01-01" if HOW == "old" else params["protocolVersion"]
    info = {"name": "rude", "version": "1"}
    return {"protocolVersion": version, "capabilities": {"tools": {"listChanged": True}}, "serverInfo": info}


def tools_of(cursor: str) -> dict[str, Any]:
    hidden = "".join(chr(0xE0000 + ord(c)) for c in "obey")
    page = int(cursor or 0)
    if HOW == "pages":
        return {"tools": [tool(f"tool_{page}")], **({"nextCursor": str(page + 1)} if page < 4 else {})}
    if HOW == "endless":
        return {"tools": [tool(f"tool_{page}")], "nextCursor": str(page + 1)}
    lists: dict[str, list[dict[str, Any]]] = {
        "odd": [
            tool("fine", annotations={"readOnlyHint": True}),
            tool("large", inputSchema={"type": "object", "properties": {"x": {"enum": ["word"] * 20_000}}}),
            tool("named badly", inputSchema={"type": "object", "properties": {"ä": {}}}),
            tool("a/b", description=f"Does it.{hidden}\x1b[2J" + "x" * 9_000, annotations=DESTRUCTIVE),
        ],
        "crowd": [tool(chr(0x4E00 + number)) for number in range(6_000)],
        "broken list": [{"name": 5}],
    }
    return {"tools": lists.get(HOW, [tool("work")])}


def text(content: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": content}]}


def many(count: int) -> list[dict[str, Any]]:
    return [{"x": number, "y": str(number)} for number in range(count)]


def call(message: dict[str, Any]) -> dict[str, Any] | None:
    """The result of a call; None where none comes."""
    size = message["params"].get("arguments", {}).get("size", 0)
    answers: dict[str, Callable[[], dict[str, Any] | None]] = {
        "large answer": lambda: text("x" * size),
        "structured": lambda: {"content": [], "structuredContent": {"temperature": 21.5}},
        "resources": lambda: {
            "content": [
                {"type": "resource", "resource": {"uri": "file:///a.txt", "text": "inside"}},
                {"type": "resource", "resource": {"uri": "file:///b.bin", "mimeType": "x/y", "blob": "AAAA"}},
                {"type": "resource_link", "uri": "file:///c", "name": "c", "description": "a third"},
                {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
                {"type": "image", "data": "A" * 27_000, "mimeType": "image/png"},
            ]
        },
        "both": lambda: {**text(json.dumps(many(size))), "structuredContent": {"rows": many(size)}},
        "nothing": lambda: {"content": []},
        "wrong answer": lambda: {"content": "not a list"},
        "no answer": lambda: None,
        "flood": flood,
        "environment": lambda: text(json.dumps(dict(os.environ))),
        "twice": lambda: twice(message["id"]),
    }
    return answers.get(HOW, lambda: text("worked"))()


def flood() -> dict[str, Any] | None:
    """Talks for as long as anybody listens."""
    line = {"method": "notifications/message", "params": {"level": "info", "data": "y" * 200}}
    until = time.monotonic() + 5
    while time.monotonic() < until:
        write(line)
    return text("done")


def twice(own: Any) -> dict[str, Any]:
    """Answers a call of nobody's, one by another kind of number, and this one before it is answered again."""
    for number in (own + 1, str(own), own, own):
        write({"id": number, "result": text(f"to {number!r}")})
    return text("again")


def start() -> None:
    """What it does before it reads anything."""
    if HOW == "dead":
        print("no such option\ntoken: hunter2hunter2, and sk-abcdefghijklmnopqrstuvwx", file=sys.stderr, flush=True)
        sys.exit(3)
    if HOW == "garbage":
        print("Welcome to the server!\n" * 3, flush=True)
        time.sleep(60)
    if HOW == "silent":
        time.sleep(60)
    if HOW == "chatty":
        print("Starting...\n{not json}\n[1, 2]\n\x00\xff\n{}", flush=True)
        sys.stdout.buffer.write(b"\xff\xfe\n")
    if HOW == "megabytes":
        with contextlib.suppress(OSError):
            while True:
                os.write(1, b"x" * 1_000_000)
    if HOW == "stubborn":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
    if HOW in ("stubborn", "parent", "daemon"):
        script = "import signal, time; [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]; time.sleep(120)"
        is_apart = HOW == "daemon"
        grandchild = subprocess.Popen(
            [sys.executable, "-c", script], stdin=subprocess.DEVNULL, start_new_session=is_apart
        )
        with open("pids", "w") as file:
            file.write(f"{os.getpid()} {grandchild.pid}")


def main() -> None:
    start()
    for line in sys.stdin:
        message = json.loads(line)
        answer(message)
        if HOW == "deaf" and message["method"] == "tools/list":
            time.sleep(60)
    if HOW == "stubborn":
        time.sleep(120)


def answer(message: dict[str, Any]) -> None:
    if "id" not in message:
        return
    method, result = message["method"], None
    if HOW == "modern" and method != "server/discover" and "_meta" not in message.get("params", {}):
        data = {"supported": ["2026-07-28"], "requested": "2025-11-25"}
        write({"id": message["id"], "error": {"code": -32022, "message": "Unsupported", "data": data}})
        return
    if method == "server/discover":
        result = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, **MODERN}
    if method == "initialize":
        result = initialize(message["params"])
    elif method == "tools/list":
        result = tools_of((message.get("params") or {}).get("cursor", "")) | MODERN
    elif method == "tools/call":
        if HOW == "refusing":
            write({"id": message["id"], "error": {"code": -32000, "message": "Not today."}})
            return
        if HOW == "quits":
            sys.exit(0)
        if HOW == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        result = call(message)
        result = {**result, "resultType": "complete"} if HOW == "modern" and result else result
    if result is not None:
        write({"id": message["id"], "result": result})


main()
