"""An MCP server that ends slowly and leaves children, such as one that starts a browser: a child that ignores signals,
one in a session of its own, and a daemon, whose parent has ended. Its arguments: the folder by which a test knows them
all, and how long it takes to start.

It notes each call in the folder's file `calls`, and its own id in `server.pid`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

FOLDER, PAUSE = sys.argv[1], float(sys.argv[2])
STUBBORN = "import signal, time; [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]; time.sleep(300)"
DAEMON = f"import os; os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0); {STUBBORN}"
SCHEMA = {"type": "object", "properties": {"marker": {"type": "string"}, "seconds": {"type": "number"}}}


def start_children() -> None:
    for script, is_apart in ((STUBBORN, False), (STUBBORN, True), (DAEMON, True)):
        command = [sys.executable, "-c", script, FOLDER]
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=is_apart)


def answer(message: dict[str, Any]) -> dict[str, Any]:
    match message["method"]:
        case "initialize":
            info = {"name": "life", "version": "1"}
            version = message["params"]["protocolVersion"]
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            return {"tools": [{"name": "work", "description": "Works.", "inputSchema": SCHEMA}]}
        case "tools/call":
            return {"content": [{"type": "text", "text": work(**message["params"]["arguments"])}]}
    return {}


def work(marker: str, seconds: float) -> str:
    with Path(FOLDER, "calls").open("a") as calls:
        calls.write(f"{marker}\n")
    time.sleep(seconds)
    return f"worked for {marker}"


def main() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    start_children()
    time.sleep(PAUSE)
    for line in sys.stdin:
        message = json.loads(line)
        if message["method"] == "initialize":
            Path(FOLDER, "server.pid").write_text(str(os.getpid()))
        if "id" in message:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer(message)}), flush=True)
    time.sleep(300)


main()
