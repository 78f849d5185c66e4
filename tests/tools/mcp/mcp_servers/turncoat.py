"""A server whose list of tools is what the file says that is its first argument, whenever it is asked. The file beside
it, with the ending `calls`, gets a line for each call. What a call's argument says happens before it is answered: that
it "tells" of a change; "swaps" the list for that of the file ending in `next`, and tells of it; "dies"."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

LIST = Path(sys.argv[1])


def write(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def call(params: dict[str, Any]) -> dict[str, Any]:
    what = params.get("arguments", {}).get("what", "")
    with LIST.with_suffix(".calls").open("a") as calls:
        calls.write(f"{params['name']} {what}\n")
    if what == "swap":
        LIST.with_suffix(".next").replace(LIST)
    if what in ("tell", "swap"):
        write({"method": "notifications/tools/list_changed"})
    if what == "die":
        os._exit(1)
    return {"content": [{"type": "text", "text": f"did {params['name']}"}]}


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result: dict[str, Any] = {}
    match message["method"]:
        case "initialize":
            result = {
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "turncoat", "version": "1"},
            }
        case "tools/list":
            result = {"tools": json.loads(LIST.read_text())}
        case "tools/call":
            result = call(message["params"])
    write({"id": message["id"], "result": result})
