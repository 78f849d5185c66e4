#!/usr/bin/env bash
# litellm's streams report tokens that no provider has counted, and take a cut stream of Gemini for a finished reply.
#
# Versions    litellm 1.106.2 with openai 2.54.0, and 1.110.2 (the newest release in November 2026) with openai 3.57.0;
#             httpx 0.28.1, tiktoken 0.14.0, tokenizers 0.23.3, Python 3.11.
#
# Behaviour   A stream ends with a chunk that has `usage`, if stream_options ask for it.
#             - If the server reports no usage, litellm counts the texts with a tokenizer of its own and puts the result
#               there. Nothing in the chunk says that it is an estimate (the column "marked").
#             - If Claude thinks, and its usage has no count of the thoughts, completion_tokens_details.reasoning_tokens
#               is litellm's count of the summary of the thoughts that was streamed. Claude's count of the reply, in
#               the same usage, is real.
#             - If the connection ends before the provider has said why the reply ends, 1.106.2 reports "stop" and a
#               usage for every provider. 1.110.2 raises MidStreamFallbackError, except for Gemini: "stop" and a usage
#               as before, so that half a sentence is a whole reply.
#             The lines with a reported usage are the control: it arrives as it was.
#
# Output      The table EXPECTED below. Usage is prompt, reply and reasoning tokens.
#
# Usage       findings/litellm-usage-nobody-reported.sh [--keep]
#             PYTHON names another Python. It makes a folder for temporary files with a venv for each version. The
#             streams come from a transport of httpx in the same process, so that there is no server. It exits with 0 if
#             the output is the one below, with 1 if it differs, and with 2 if the packages cannot be installed. --keep
#             leaves the folder.
set -euo pipefail

EXPECTED='litellm  provider   the stream                    finish_reason  usage        marked
1.106.2  openai     with a usage                  stop           30 12 0      no
1.106.2  openai     without a usage               stop           8 3 0        no
1.106.2  openai     cut                           stop           8 3 0        no
1.106.2  anthropic  with a count of thoughts      stop           9 90 77      no
1.106.2  anthropic  without a count of thoughts   stop           9 90 41      no
1.106.2  anthropic  cut                           stop           9 43 41      no
1.106.2  gemini     with a usage                  stop           30 12 0      no
1.106.2  gemini     cut                           stop           8 3 0        no
1.110.2  openai     with a usage                  stop           30 12 0      no
1.110.2  openai     without a usage               stop           8 3 0        no
1.110.2  openai     cut                           MidStreamFallbackError
1.110.2  anthropic  with a count of thoughts      stop           9 90 77      no
1.110.2  anthropic  without a count of thoughts   stop           9 90 41      no
1.110.2  anthropic  cut                           MidStreamFallbackError
1.110.2  gemini     with a usage                  stop           30 12 0      no
1.110.2  gemini     cut                           stop           8 3 0        no'

folder=$(mktemp -d)
if [ "${1:-}" = --keep ]; then
    echo "Folder: $folder" >&2
else
    trap 'rm -rf "$folder"' EXIT
fi

cat >"$folder/ask.py" <<'PROGRAM'
"""Reads streams with litellm, and prints one line for each."""

import asyncio
import json
import os
from importlib.metadata import version

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # fetches no list of prices
import httpx
import litellm
import openai
from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

litellm.suppress_debug_info = True  # else it prints where to get help before an error
LINE = "{:<9}{:<11}{:<30}{:<15}{:<13}{}"


def chunk(delta, finish=None, **fields):
    choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices} | fields


def delta(index, **fields):
    return {"type": "content_block_delta", "index": index, "delta": fields}


def claude(**usage):
    message = {"id": "1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None}
    return [
        {"type": "message_start", "message": message | {"usage": {"input_tokens": 9, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        *[delta(0, type="thinking_delta", thinking="One, two, three, four, five. ")] * 4,
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        delta(1, type="text_delta", text="Done."),
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]


def gemini(text, **fields):
    return {"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": text}]}} | fields]}


USAGE = {"prompt_tokens": 30, "completion_tokens": 12, "total_tokens": 42}
COUNTS = {"promptTokenCount": 30, "candidatesTokenCount": 12, "totalTokenCount": 42}
HELLO, END = chunk({"role": "assistant", "content": "Half a sentence"}), chunk({}, "stop")
STREAMS = [
    ("openai", "with a usage", [HELLO, END, chunk({}, usage=USAGE) | {"choices": []}]),
    ("openai", "without a usage", [HELLO, END]),
    ("openai", "cut", [HELLO]),
    ("anthropic", "with a count of thoughts", claude(output_tokens=90, output_tokens_details={"thinking_tokens": 77})),
    ("anthropic", "without a count of thoughts", claude(output_tokens=90)),
    ("anthropic", "cut", claude()[:-3]),
    ("gemini", "with a usage", [gemini("Half"), gemini(" a", finishReason="STOP") | {"usageMetadata": COUNTS}]),
    ("gemini", "cut", [gemini("Half a sentence")]),
]


async def result_of(provider, events):
    body = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)
    body += b"data: [DONE]\n\n" if provider == "openai" and events[-1] is not HELLO else b""
    headers = {"Content-Type": "text/event-stream"}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, headers=headers, content=body))
    client = AsyncHTTPHandler(transport=transport)
    if provider == "openai":
        http = httpx.AsyncClient(transport=transport)
        client = openai.AsyncOpenAI(api_key="k", base_url="http://s.invalid/v1", max_retries=0, http_client=http)
    stream = await litellm.acompletion(
        f"{provider}/m", api_base="http://s.invalid/v1", api_key="k", client=client, stream=True, max_retries=0,
        stream_options={"include_usage": True}, messages=[{"role": "user", "content": "Hello"}],
    )
    chunks = [chunk async for chunk in stream]
    finish = next(c.choices[0].finish_reason for c in reversed(chunks) if c.choices and c.choices[0].finish_reason)
    usage = next(c.usage for c in reversed(chunks) if getattr(c, "usage", None))
    details = usage.completion_tokens_details
    counts = (usage.prompt_tokens, usage.completion_tokens, (details.reasoning_tokens if details else None) or 0)
    everything = repr([(c.model_dump(), c._hidden_params) for c in chunks]).lower()
    return finish, " ".join(map(str, counts)), "yes" if "estimat" in everything else "no"


async def main():
    for provider, name, events in STREAMS:
        try:
            found = await result_of(provider, events)
        except Exception as error:
            found = type(error).__name__, "", ""
        print(LINE.format(version("litellm"), provider, name, *found).rstrip())


asyncio.run(main())
PROGRAM

ask() {  # ask VERSION OPENAI: install that version with that one of openai, and add what it does to the table
    "${PYTHON:-python3}" -m venv "$folder/$1"
    echo "Installing litellm $1" >&2
    "$folder/$1/bin/pip" install --quiet --disable-pip-version-check \
        "litellm==$1" "openai==$2" httpx==0.28.1 tiktoken==0.14.0 tokenizers==0.23.3 >&2 || exit 2
    (cd "$folder" && "$folder/$1/bin/python" -W ignore ask.py >>found)
}

echo "${EXPECTED%%$'\n'*}" >"$folder/found"
ask 1.106.2 2.54.0
ask 1.110.2 3.57.0

cat "$folder/found"
if ! diff <(echo "$EXPECTED") "$folder/found" >"$folder/difference"; then
    echo "This differs from what was seen (< expected, > found):"
    cat "$folder/difference"
    exit 1
fi
echo "As described."
