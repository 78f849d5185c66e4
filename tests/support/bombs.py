"""Texts that are made to hold the window: each is a message that a model, a page or an import could bring."""

from __future__ import annotations

import json
import random
from functools import cache

from builders import message, model, system
from desktop_app.conversation.message import Message, Part, Reasoning, Role, ToolCall, ToolResult

SIZE = 200_000  # characters, of most
CODE = 39_000  # characters: longer code is not highlighted
_random = random.Random(20)


def _fence(language: str, code: str) -> str:
    return f"```{language}\n{code}\n```"


def _noise(signs: str, count: int) -> str:
    return "".join(_random.choices(signs, k=count))


TEXTS: dict[str, str] = {
    # Nesting
    "quotes within quotes": ">" * 20_000 + " deep",
    "quotes, each line deeper": "\n".join(">" * n + " line" for n in range(1, 1_500)),
    "lists within lists": "\n".join("  " * n + "- item" for n in range(600)),
    "numbered lists within lists": "\n".join("   " * n + "1. item" for n in range(500)),
    "lists on one line": "- " * 20_000 + "deep",
    "an item of many items": "- a\n" + "  - b\n" * 30_000,
    "a quote of many lines": "> a\n" * 50_000,
    "lists and quotes by turns": "> - " * 10_000 + "deep",
    "brackets open": "[" * SIZE,
    "brackets open and close": "[" * (SIZE // 2) + "]" * (SIZE // 2),
    "links within links": "[a](" * 40_000,
    "images within images": "![" * 50_000 + "](x)" * 50_000,
    "parentheses of an address": "[a](" + "(" * 100_000,
    # Emphasis and the like
    "stars": "*" * SIZE,
    "stars and letters": "*a " * (SIZE // 3),
    "stars that open and close": "**a *b " * (SIZE // 7),
    "underscores": "_a_" * (SIZE // 3),
    "tildes": "~~a ~" * (SIZE // 5),
    "backticks": "`" * SIZE,
    "backticks of growing length": " ".join("`" * n for n in range(1, 600)),
    "escapes": "\\*" * (SIZE // 2),
    "entities": "&amp;" * (SIZE // 5),
    "entities that are none": "&a" * (SIZE // 2),
    "angle brackets": "<" * SIZE,
    "tags": "<b>" * (SIZE // 3),
    "comments open": "<!--" * (SIZE // 4),
    "addresses": "https://a.b/c " * (SIZE // 14),
    "one address": "https://" + "a" * SIZE,
    "mail": "a@b." * (SIZE // 4),
    "marks of every kind": _noise("*_~`[]()<>!#>-+|:\\& \n", SIZE),
    # Lines and words
    "one word": "x" * SIZE,
    "one word of wide letters": "漢" * SIZE,
    "one line": "word " * (SIZE // 5),
    "empty lines": "\n" * SIZE,
    "lines of one letter": "a\n" * (SIZE // 2),
    "paragraphs of one letter": "a\n\n" * (SIZE // 3),
    "carriage returns": "a\r" * (SIZE // 2),
    "tabs": "\t" * SIZE,
    "rules": "---\n\n" * (SIZE // 5),
    "headings": "# a\n" * (SIZE // 4),
    "breaks of lines": "a\\\n" * 40_000,
    "tasks": "- [x] done\n" * 15_000,
    "bold words": "**a** " * 30_000,
    "soft hyphens": "a\u00ad" * (SIZE // 2),
    "spaces without a break": "\u00a0" * SIZE,
    "spaces without width": "\u200b" * SIZE,
    # Writing
    "letters with many marks": ("a" + "\u0301\u0316" * 300) * 300,
    "one letter with all marks": "a" + "\u0301" * 50_000,
    "both directions by turns": "a\u05d0" * (SIZE // 2),
    "overrides": "\u202ea\u202d" * (SIZE // 3),
    "isolates": "\u2067" * 50_000,
    "Arabic": "\u0644\u0627 " * (SIZE // 3),
    "emoji joined": "👩\u200d" * 50_000,
    "flags": "🇩🇪" * 30_000,
    "many scripts": "".join(chr(n) for n in range(0x100, 0xD7FF) if chr(n).isprintable()),
    "Devanagari": "\u0915\u094d\u0937" * 60_000,
    "Thai": "\u0e01\u0e33\u0e31" * 60_000,
    "syllables of three letters": "\u1100\u1161\u11a8" * 60_000,
    "stacked letters": ("\u0f40" + "\u0f90" * 28) * 6_000,
    "flags of regions": "🏴\U000e0067\U000e0062\U000e007f" * 20_000,
    "places of objects": "\ufffc" * 100_000,
    "marks in code": "```python\n" + ("a" + "\u0301" * 25 + " ") * 7_000 + "\n```",
    "many scripts, bold and slanted": "".join(
        f"**{piece}** *{piece}* `{piece}`\n\n"
        for piece in (
            "".join(chr(n + 7 * m) for m in range(30) if chr(n + 7 * m).isprintable())
            for n in range(0x100, 0xD6F0, 210)
        )
    ),
    "halves of characters": "\ud83d" * 50_000,
    "signs that are not shown": "\x00\x01\x07\x1b[31m" * 30_000,
    # Tables
    "a wide table": "|" + "a|" * 5_000 + "\n|" + "-|" * 5_000 + "\n" + ("|" + "b|" * 5_000 + "\n") * 5,
    "a long table": "|a|b|\n|-|-|\n" + "|1|2|\n" * 20_000,
    "a table of long cells": "|a|b|\n|-|-|\n" + ("|" + "x" * 20_000 + "|y|\n") * 8,
    "many tables": "|a|\n|-|\n|1|\n\n" * 5_000,
    "a table of 500 columns": "|" + "a|" * 500 + "\n|" + "-|" * 500 + "\n" + ("|" + "b|" * 500 + "\n") * 100,
    "a table of many scripts": "|a|b|\n|-|-|\n"
    + "".join(
        f"|{''.join(chr(n + 7 * m) for m in range(20) if chr(n + 7 * m).isprintable())}|b|\n"
        for n in range(0x100, 0xD6F0, 140)
    ),
    "a table of joined emoji": "|a|b|\n|-|-|\n" + ("|" + "👩\u200d👩\u200d👧" * 20 + "|" + "🇩🇪" * 20 + "|\n") * 300,
    "a table in a quote": "> |a|b|\n> |-|-|\n" + "> |1|2|\n" * 9_000,
    "a table in a list": "- |a|b|\n  |-|-|\n" + "  |1|2|\n" * 9_000,
    # Code
    "code in a list": "- ```python\n" + "  x = 1\n" * 15_000,
    "code in a quote": "> ```python\n" + "> x = 1\n" * 15_000,
    "fences": "```\n" * 20_000,
    "many small code blocks": (_fence("python", "x = 1") + "\n\n") * 3_000,
    "a long code block": _fence("", "line of code\n" * 40_000),
    "one line of code": _fence("", "x" * SIZE),
    "a language of a long name": _fence("x" * 50_000, "code"),
    "Python, parentheses": _fence("python", "(" * CODE),
    "Python, one string": _fence("python", "'" + "\\" * CODE),
    "Python, formatted strings": _fence("python", "f'{" * (CODE // 3)),
    "JSON, arrays": _fence("json", "[" * CODE),
    "HTML": _fence("html", "<a " * (CODE // 3)),
    "HTML, attributes": _fence("html", "<a " + "b=" * (CODE // 2)),
    "JavaScript, regular expressions": _fence("javascript", "/" * CODE),
    "JavaScript, templates": _fence("js", "`${" * (CODE // 3)),
    "C, comments": _fence("c", "/*" * (CODE // 2)),
    "C++, functions": _fence("cpp", "a " * (CODE // 2)),
    "Bash": _fence("bash", "$((" * (CODE // 3)),
    "SQL": _fence("sql", "'" * CODE),
    "Perl": _fence("perl", "s{" * (CODE // 2)),
    "Ruby": _fence("ruby", "<<A " * (CODE // 4)),
    "CSS": _fence("css", "a{" * (CODE // 2)),
    "YAML": _fence("yaml", "- " * (CODE // 2)),
    "TOML": _fence("toml", "a." * (CODE // 2)),
    "Markdown": _fence("markdown", "*a " * (CODE // 3)),
    "diff": _fence("diff", "+" * CODE),
    "Java": _fence("java", "a.b " * (CODE // 4)),
    "Rust": _fence("rust", "/*" * (CODE // 2)),
    "PHP": _fence("php", "<?php $" + "{$" * (CODE // 2)),
    "TeX": _fence("tex", "\\" * CODE),
    "Haskell": _fence("haskell", "{-" * (CODE // 2)),
    "Swift": _fence("swift", "\\(" * (CODE // 2)),
    "console": _fence("console", "$ " * (CODE // 2)),
    "spaces": _fence("python", " " * CODE),
    # Drawings
    "formulas": "$x$ " * (SIZE // 4),
    "formulas that differ": " ".join(f"$x_{{{n}}}$" for n in range(20_000)),
    "one formula": "$$" + "{" * 50_000 + "$$",
    "a formula of fractions": "$$" + "\\frac{1}{" * 2_000 + "1" + "}" * 2_000 + "$$",
    "a formula that defines itself": "$$\\def\\x{\\x\\x}\\x$$",
    "dollars": "$" * SIZE,
    "a diagram of many arrows": _fence("mermaid", "graph TD\n" + "\n".join(f"a{n}-->a{n + 1}" for n in range(5_000))),
    "a diagram within itself": _fence("mermaid", "graph TD\n" + "subgraph a\n" * 5_000),
    # References
    "references": "\n".join(f"[r{n}]: https://a.b/{n}" for n in range(8_000)) + "\n\n" + "[r1] " * 5_000,
    "a reference to a reference": "\n".join(f"[r{n}]: [r{n + 1}]" for n in range(8_000)),
    "footnotes": "".join(f"[^{n}]" for n in range(20_000)),
}


MB = 1_000_000


@cache
def large_texts() -> dict[str, str]:
    """Return texts of 5 MB, such as users paste and tools return. Made when they are wanted."""
    texts = {
        "lines": "A line of a log, as long as most of them are, with a number.\n",
        "paragraphs": "Words of a paragraph that goes on. " * 10 + "\n\n" + "- item\n" * 20,
        "one line": "word ",
        "one word": "x",
        "lines, not ASCII": "Eine Zeile für Größe und Maß, wie sie jemand schreibt – ja.\n",
        "wide letters": "漢字",
        "short lines": "a\n",
        "terminal signs": "\x1b[31mred\x1b[0m\r\n",
        "JSON": '{"key": [1, 2.5, "a string\\n"], "other": null}, ',
    }
    return {f"5 MB, {name}": text * (5 * MB // len(text)) for name, text in texts.items()}


def _calls() -> dict[str, Part]:
    lines = [f"line {n} {_noise('ab', 4)}" for n in range(399)]
    edits = {
        "an edit of lines that look alike": (
            "\n".join("a" for _ in range(399)),
            "\n".join("a b"[n % 3] for n in range(399)),
        ),
        "an edit of long lines": ("x" * 100_000, "y" * 100_000),
        "an edit of all lines": ("\n".join(lines), "\n".join(reversed(lines))),
        "an edit of many lines": ("a\n" * 50_000, "b\n" * 50_000),
    }
    calls: dict[str, Part] = {
        name: ToolCall("c", "edit", json.dumps({"path": "a.py", "old_text": old, "new_text": new}))
        for name, (old, new) in edits.items()
    }
    calls["arguments of great depth"] = ToolCall("c", "edit", '{"a":' * 50_000 + "1" + "}" * 50_000)
    for name, text in large_texts().items():
        calls[f"{name} (written)"] = ToolCall("c", "write_file", json.dumps({"path": "a.py", "content": text}))
        calls[f"{name} (command)"] = ToolCall("c", "bash", json.dumps({"command": text}))
    calls["arguments of great length"] = ToolCall("c", "bash", json.dumps({"command": "x " * SIZE}))
    calls["a tool of a long name"] = ToolCall("c", "n" * 50_000, "{}")
    return calls


RESULTS: dict[str, str] = {
    "a result of one line": "x" * 1_000_000,
    "a result of many lines": "a\n" * 500_000,
    "a result of lines that are rewritten": "a\r" * 500_000,
    "a result of terminal signs": "\x1b[31m" * 100_000,
    "a result of great depth": "[" * 200_000,
}


ELSEWHERE = (
    "quotes, each line deeper", "brackets open", "stars", "marks of every kind", "one word", "one line", "empty lines",
    "paragraphs of one letter", "carriage returns", "both directions by turns", "Devanagari", "places of objects",
    "halves of characters", "signs that are not shown", "a wide table", "a table of long cells",
    "many small code blocks", "formulas that differ", "references",
)  # fmt: skip
"""The texts that are shown in the places beside the transcript, and those of `large_texts`."""


def bombs() -> dict[str, list[Message]]:
    """Return the messages of each bomb by its name."""
    made = {
        f"{name} ({role})": [message(role, text, id="m0")]
        for role in (Role.ASSISTANT, Role.USER)
        for name, text in (TEXTS | large_texts()).items()
    }
    for name, call in _calls().items():
        assert isinstance(call, ToolCall)
        result = Message(id="m1", role=Role.TOOL, parts=(ToolResult(call.call_id, call.name, "done"),))
        made[name] = [model(call, id="m0"), result]
    for name, text in large_texts().items():
        made[f"{name} (reasoning)"] = [model(Reasoning(text), id="m0")]
        made[f"{name} (system)"] = [system(text, id="m0")]
    for name, text in (RESULTS | {f"{name} (result)": text for name, text in large_texts().items()}).items():
        asked = model(ToolCall("c", "bash", "{}"), id="m0")
        made[name] = [asked, Message(id="m1", role=Role.TOOL, parts=(ToolResult("c", "bash", text),))]
    return made
