#!/usr/bin/env bash
# litellm reports finish_reason "stop" for replies that were cut off or have failed.
#
# Versions    litellm 1.106.2, and 1.110.2 (the newest release in November 2026), with Python 3.11.
#
# Behaviour   A provider says at the end of a reply why it ended. litellm translates that into OpenAI's finish_reason.
#             - Anthropic, stop_reason "model_context_window_exceeded" (the window was full before the reply was
#               finished): 1.106.2 does not know the word, logs a warning and reports "stop", as for "end_turn".
#               Nothing in the result has Anthropic's word. 1.110.2 reports "length", as for "max_tokens".
#             - Gemini, finishReason "MALFORMED_FUNCTION_CALL" (the model wrote a call that cannot be read, so there is
#               neither text nor a call): both versions report "stop", as for "STOP". The whole response still has
#               Gemini's word, in choices[0].provider_specific_fields["native_finish_reason"]; the chunks of a stream
#               have it nowhere.
#             So a program that goes by finish_reason takes such a reply for finished. The lines with max_tokens and
#             MAX_TOKENS are the control: litellm reads where the reasons are, and reports "length".
#
# Output      The table EXPECTED below. The last column says whether the provider's word is anywhere in what litellm
#             returned (its fields and its hidden parameters).
#
# Usage       findings/litellm-finish-reasons.sh [--keep]
#             PYTHON names another Python. It makes a folder for temporary files with one venv for each version,
#             installs the pinned litellm with its extra "mcp" (without it 1.106.2 takes no tools), and asks a server
#             on 127.0.0.1 that answers as the documentation of the two providers describes. It exits with 0 if the output is the one below, with 1 if it differs, and
#             with 2 if the packages cannot be installed. --keep leaves the folder.
set -euo pipefail

VERSIONS=(1.106.2 1.110.2)
EXPECTED='litellm  provider   asked   the provider says              finish_reason  word kept
1.106.2  anthropic  whole   end_turn                       stop           no
1.106.2  anthropic  stream  end_turn                       stop           no
1.106.2  anthropic  whole   max_tokens                     length         no
1.106.2  anthropic  stream  max_tokens                     length         no
1.106.2  anthropic  whole   model_context_window_exceeded  stop           no
1.106.2  anthropic  stream  model_context_window_exceeded  stop           no
1.106.2  gemini     whole   STOP                           stop           yes
1.106.2  gemini     stream  STOP                           stop           no
1.106.2  gemini     whole   MAX_TOKENS                     length         yes
1.106.2  gemini     stream  MAX_TOKENS                     length         no
1.106.2  gemini     whole   MALFORMED_FUNCTION_CALL        stop           yes
1.106.2  gemini     stream  MALFORMED_FUNCTION_CALL        stop           no
1.110.2  anthropic  whole   end_turn                       stop           no
1.110.2  anthropic  stream  end_turn                       stop           no
1.110.2  anthropic  whole   max_tokens                     length         no
1.110.2  anthropic  stream  max_tokens                     length         no
1.110.2  anthropic  whole   model_context_window_exceeded  length         no
1.110.2  anthropic  stream  model_context_window_exceeded  length         no
1.110.2  gemini     whole   STOP                           stop           yes
1.110.2  gemini     stream  STOP                           stop           no
1.110.2  gemini     whole   MAX_TOKENS                     length         yes
1.110.2  gemini     stream  MAX_TOKENS                     length         no
1.110.2  gemini     whole   MALFORMED_FUNCTION_CALL        stop           yes
1.110.2  gemini     stream  MALFORMED_FUNCTION_CALL        stop           no'

folder=$(mktemp -d)
if [ "${1:-}" = --keep ]; then
    echo "Folder: $folder" >&2
else
    trap 'rm -rf "$folder"' EXIT
fi

cat >"$folder/ask.py" <<'PROGRAM'
"""Asks litellm for replies that end for different reasons, and prints one line for each."""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # fetches no list of prices
import litellm

LINE = "{:<9}{:<11}{:<8}{:<31}{:<15}{}"
TEXT = "The first half of"
MODELS = {"anthropic": "anthropic/claude-sonnet-4-5", "gemini": "gemini/gemini-2.5-flash"}
REASONS = {
    "anthropic": ("end_turn", "max_tokens", "model_context_window_exceeded"),
    "gemini": ("STOP", "MAX_TOKENS", "MALFORMED_FUNCTION_CALL"),
}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "add",
            "description": "Adds two numbers.",
            "parameters": {
                "type": "object",
                "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
                "required": ["a", "b"],
            },
        },
    }
]


def anthropic_message(reason):
    return {
        "id": "msg_0001",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [{"type": "text", "text": TEXT}],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 400, "output_tokens": 5},
    }


def anthropic_events(reason):
    empty = {"content": [], "stop_reason": None, "usage": {"input_tokens": 400, "output_tokens": 1}}
    return [
        {"type": "message_start", "message": anthropic_message(reason) | empty},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": TEXT}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": None},
            "usage": {"output_tokens": 5},
        },
        {"type": "message_stop"},
    ]


def gemini_response(reason):
    candidate = {"content": {"parts": [{"text": TEXT}], "role": "model"}, "finishReason": reason, "index": 0}
    if reason == "MALFORMED_FUNCTION_CALL":
        candidate |= {"content": {}, "finishMessage": "Malformed function call: add(a=2, b="}
    return {
        "candidates": [candidate],
        "usageMetadata": {"promptTokenCount": 400, "candidatesTokenCount": 5, "totalTokenCount": 405},
        "modelVersion": "gemini-2.5-flash",
        "responseId": "response0001",
    }


class Provider(BaseHTTPRequestHandler):
    """Both providers; they differ in their paths."""

    reason = ""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "generatecontent" in self.path.lower():
            is_stream = "streamGenerateContent" in self.path
            whole = gemini_response(self.reason)
            events = [f"data: {json.dumps(whole)}\r\n\r\n"]
        else:
            is_stream = asked.get("stream", False)
            whole = anthropic_message(self.reason)
            events = [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in anthropic_events(self.reason)]
        body = ("".join(events) if is_stream else json.dumps(whole)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if is_stream else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def ask(address, provider, is_stream):
    """Return what litellm gives, as a list: the response, or its chunks."""
    answer = litellm.completion(
        model=MODELS[provider],
        messages=[{"role": "user", "content": "How much are 2 and 3?"}],
        tools=TOOLS,
        api_base=address,
        api_key="none",
        stream=is_stream,
    )
    return list(answer) if is_stream else [answer]


server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}"
for provider, reasons in REASONS.items():
    for reason in reasons:
        for asked in ("whole", "stream"):
            Provider.reason = reason
            answers = ask(address, provider, asked == "stream")
            ends = {choice.finish_reason for one in answers for choice in one.choices if choice.finish_reason}
            said = "".join(f"{one.model_dump_json()} {one._hidden_params}" for one in answers)
            kept = "yes" if reason in said else "no"
            print(LINE.format(version("litellm"), provider, asked, reason, " ".join(sorted(ends)), kept))
PROGRAM

echo "${EXPECTED%%$'\n'*}" >"$folder/found"
for version in "${VERSIONS[@]}"; do
    "${PYTHON:-python3}" -m venv "$folder/$version"
    echo "Installing litellm $version" >&2
    "$folder/$version/bin/pip" install --quiet --disable-pip-version-check "litellm[mcp]==$version" >&2 || exit 2
    (cd "$folder" && "$folder/$version/bin/python" ask.py >>found)
done

cat "$folder/found"
if ! diff <(echo "$EXPECTED") "$folder/found" >"$folder/difference"; then
    echo "This differs from what was seen (< expected, > found):"
    cat "$folder/difference"
    exit 1
fi
echo "As described."
