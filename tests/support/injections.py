"""The texts of tests/chat/injections.txt, and the control tokens of chat templates as their vocabularies have them."""

from __future__ import annotations

import re
from pathlib import Path

_SIGN = re.compile(r"‹U\+([0-9A-F]{4,6})›")
_LINES = (Path(__file__).parents[1] / "chat" / "injections.txt").read_text(encoding="utf-8").split("\n")
_TEXTS = _LINES[next(n for n, line in enumerate(_LINES) if line.startswith("== ")) :]
INJECTIONS = [
    _SIGN.sub(lambda code: chr(int(code[1], 16)), line) for line in _TEXTS if line and not line.startswith("== ")
]
CONTROL = re.compile(
    r"<\|[a-zA-Z_]+\|>|<｜[^>]+｜>|\[\|[a-z]+\|\]|\[/?INST\]|\[/?SYSTEM_PROMPT\]|\[/?AVAILABLE_TOOLS\]|\[/?TOOL_RESULTS\]"
    r"|\[TOOL_CALLS\]|\[gMASK\]|</?s>|<</?SYS>>|<(?:start|end)_of_turn>|<(?:bos|eos|pad|unk|mask|sop)>|</?think>"
    r"|</?tool_(?:call|response|result)>|<(?:repo_name|reponame|file_sep|filename|gh_stars|empty_output)>"
    r"|<(?:issue|jupyter)_[a-z]+>"
)
"""Written out here a second time, so that the test does not ask the code that it tests."""
