#!/usr/bin/env bash
# litellm, installed without extras, cannot send a request that has tools.
#
# Versions    litellm 1.106.2 with Python 3.11. 1.110.2 (the newest release in November 2026) is the control.
#
# Behaviour   litellm's package names mcp for its extras "mcp" and "proxy" only. After `pip install litellm==1.106.2` a
#             request without tools succeeds, and the same request with a tool, a plain function and no server of tools,
#             raises ModuleNotFoundError: No module named 'mcp'. acompletion() wraps it as an APIConnectionError, as if a
#             server could not be reached. After `pip install litellm[mcp]==1.106.2` it succeeds; with 1.110.2 it does
#             without the extra.
#
# Output      The table EXPECTED below.
#
# Usage       findings/litellm-tools-need-mcp.sh [--keep]
#             PYTHON names another Python. It makes a folder for temporary files with a venv for each version. The
#             replies are litellm's own (mock_response), so that there is no server. It exits with 0 if the output is
#             the one below, with 1 if it differs, and with 2 if the packages cannot be installed. --keep leaves the
#             folder.
set -euo pipefail

EXPECTED='installed              function       tools  result
litellm==1.106.2       completion     no     a reply
litellm==1.106.2       completion     yes    ModuleNotFoundError: mcp
litellm==1.106.2       acompletion    no     a reply
litellm==1.106.2       acompletion    yes    APIConnectionError: mcp
litellm[mcp]==1.106.2  completion     no     a reply
litellm[mcp]==1.106.2  completion     yes    a reply
litellm[mcp]==1.106.2  acompletion    no     a reply
litellm[mcp]==1.106.2  acompletion    yes    a reply
litellm==1.110.2       completion     no     a reply
litellm==1.110.2       completion     yes    a reply
litellm==1.110.2       acompletion    no     a reply
litellm==1.110.2       acompletion    yes    a reply'

folder=$(mktemp -d)
if [ "${1:-}" = --keep ]; then
    echo "Folder: $folder" >&2
else
    trap 'rm -rf "$folder"' EXIT
fi

cat >"$folder/ask.py" <<'PROGRAM'
"""Asks litellm for a reply with and without a tool, and prints one line for each request. Argument: what is installed."""

import asyncio
import os
import sys

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # fetches no list of prices
import litellm

litellm.suppress_debug_info = True  # else it prints where to get help before an error

ADD = {
    "name": "add",
    "description": "Adds two numbers.",
    "parameters": {
        "type": "object",
        "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
        "required": ["a", "b"],
    },
}


async def awaited(**request):
    return await litellm.acompletion(**request)


def result_of(function, request):
    """Return what came of a request, in a few words."""
    try:
        reply = function(**request)
    except Exception as error:
        missing = "mcp" if "No module named 'mcp'" in str(error) else str(error)
        return f"{type(error).__name__}: {missing}"
    return "a reply" if reply.choices[0].message.content == "Five." else repr(reply)


functions = {"completion": litellm.completion, "acompletion": lambda **request: asyncio.run(awaited(**request))}
plain = {
    "model": "openai/gpt-4o",
    "messages": [{"role": "user", "content": "How much are 2 and 3?"}],
    "mock_response": "Five.",
}
with_tools = plain | {"tools": [{"type": "function", "function": ADD}]}
for name, function in functions.items():
    for word, request in (("no", plain), ("yes", with_tools)):
        print(f"{sys.argv[1]:<23}{name:<15}{word:<7}{result_of(function, request)}")
PROGRAM

ask() {  # ask VENV PACKAGE: install that package into the venv, and add what it does to the table
    [ -d "$folder/$1" ] || "${PYTHON:-python3}" -m venv "$folder/$1"
    echo "Installing $2" >&2
    "$folder/$1/bin/pip" install --quiet --disable-pip-version-check "$2" >&2 || exit 2
    (cd "$folder" && "$folder/$1/bin/python" ask.py "$2" >>found)
}

echo "${EXPECTED%%$'\n'*}" >"$folder/found"
ask first 'litellm==1.106.2'
ask first 'litellm[mcp]==1.106.2'
ask second 'litellm==1.110.2'

cat "$folder/found"
if ! diff <(echo "$EXPECTED") "$folder/found" >"$folder/difference"; then
    echo "This differs from what was seen (< expected, > found):"
    cat "$folder/difference"
    exit 1
fi
echo "As described."
