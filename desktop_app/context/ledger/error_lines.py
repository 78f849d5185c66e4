"""Find the lines of a tool's output that report an error: of compilers, interpreters, tests, shells, servers."""

from __future__ import annotations

import re

_STEMS = (
    "error", "exception", "fatal", "panic", "fail", "traceback", "denied", "no such file", "not found", "cannot",
    "can't", "refused", "timed out", "timeout", "unable to", "undefined", "exit", "grep:", "unresolved", "err!",
    "http/", '"status', "status code", "segmentation", "core dumped", "could not", "not ok ", "e   ", "killed",
    "imported and not used", "out of memory", "fehler", "nicht gefunden",
)  # fmt: skip
_OTHER_STEMS = ("✕", "✗", "错误", "失败", "エラー")
"""Every error line contains one of these in lowercase: a cheap first test."""
_ERROR_LINE = re.compile(
    r"(?:^|[\s(\[\"'])[\w.]{0,80}(?:Error|Exception|Warning as error)\b\s*(?:[:(]|\[\w+\]:|\)|$)"
    r"|\b(?:error|fatal|panic|failure)\b\"?\s*[:!]|(?<!\b0 )\bfailed\b|\berror(?: [A-Z]+\d+|\[[A-Z]\d+\])"
    r"|^\s*(?:npm )?(?:ERR!|(?:error|fatal|(?:-+ )?FAIL(?:ED)?)\b)"
    r"|^E\s{2,}\S|\bTraceback \(most recent|\b(?:permission|access) denied\b|\bno such file|\bcommand not found\b"
    r"|\b(?:could )?not found\b|\bcannot (?:find|open|read|access|import|stat|be|load|resolve)|\bunable to\b"
    r"|\btimed out\b|\bconnection refused\b|\bundefined (?:reference|symbol|variable|name)|:\d+:\d+: undefined: "
    r"|\bexit(?:ed)?(?: with)?(?: code| status)?[: ]+[1-9]\d{0,2}\b"
    r"|\bhttp/[\d.]+ [45]\d\d\b|\"(?:status|status_?code|code)\"\s?:\s?\"?[45]\d\d\b|\bstatus code:? [45]\d\d\b"
    r"|\bsegmentation fault|\bcore dumped\b|\bpanicked at\b|\bcould not \w+|^\s*not ok \d|^\s*[✕✗] \S"
    r"|\bimported and not used\b|^\s*\d+:\d+\s+error\s|\bunresolved (?:reference|import|symbol|name)"
    r"|^\s*[1-9]\d* failing\b|\bout of memory\b|^Killed\b|\b(?:datei )?nicht gefunden\b|\bFehler:|错误[:：]|失败|エラー"
    r"|^(?:grep|rg|sed|awk|find|ls|cat|cp|mv|rm|cd|tar|bash|sh|zsh|git|python\d?|node|npm|npx|make|curl|ssh): \S",
    re.IGNORECASE,
)
_CODE_LINE = re.compile(
    r"^\s*(?:\d{1,6}(?:[:|│→\t]|\s{2})|//|/\*|\*\s|#[ :]|\||[+-]\s{2}|[{}\]]"
    r"|(?:raise|throw|except|catch|if|elif|else|return|const|let|var|def|class|function|import|from|export|case|await"
    r"|this\.|self\.|assert|new|private|public|type|interface)\b"
    r"|[\w.$]+(?:\(|\s?=[^=])|[\"'][\w.-]+[\"']\s?:|\w+\??:\s?[\w.|<>\[\]]+[,;]$|[a-z]+[A-Z]\w*\??:|[:?]\s)"
    r"|[{;]\s*$|=>|\)\s*:\s*$"
)
_SURELY_ERROR = re.compile(
    r"^Traceback|^(?:\w{1,40}\.){0,8}(?:[A-Z]\w{0,80})?(?:Error|Exception): \S|\berror(?: [A-Z]+\d+|\[[A-Z]\d+\])\s*:"
    r"|\"(?:error|message|detail|reason)\"\s?:\s?\"[^\"]{0,400}\s[^\"]{0,400}\"|\"(?:status|status_?code|code)\"\s?:\s?[45]\d\d"
    r"|^\s*\d+:\d+\s+error\s|:\d+:\d+: undefined: |panicked at |\) ?Unresolved reference"
)
"""Formats of compilers, interpreters and servers, which may quote code."""


def error_lines(text: str, most: int = 3, width: int = 240) -> list[str]:
    """Return the first and the last lines that report an error, at most `most`, without code that mentions errors."""
    lowered = text.lower()
    stems = [stem for stem in (_STEMS if text.isascii() else _STEMS + _OTHER_STEMS) if stem in lowered]
    found: dict[str, None] = {}
    for line in text.splitlines() if stems else ():
        told = line[: 4 * width].strip()
        if len(told) > 3 and any(map(line.lower().__contains__, stems)) and _is_error_line(told):
            found.setdefault(told[:width])
    lines = list(found)
    return lines if len(lines) <= most else [lines[0], *lines[len(lines) - most + 1 :]]


def _is_error_line(line: str) -> bool:
    """Whether the line reports an error, and is not code that mentions one."""
    if not _ERROR_LINE.search(line):
        return False
    return not _CODE_LINE.search(line) or _SURELY_ERROR.search(line) is not None
