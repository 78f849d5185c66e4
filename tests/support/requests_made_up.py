"""Forty requests of all kinds in OpenAI's shape, always the same ones: to count what a chat template makes of them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]

PROSE = """
the parser keeps a stack of open brackets while a second pass joins lines that were broken by hand and writes each error
with its place so that the report can be read beside the source on any screen without scrolling far to the right or
losing the line that caused it when several files are checked at once in the same run of the tool
"""
WORDS = PROSE.split()
CHINESE = (
    "昨天下午我们在三楼会议室讨论了新的迁移计划。数据库的备份必须在周五之前完成，"
    "否则下周的发布会推迟。请把测试结果发给我。"
)
CODE = '''def merge(left: list[int], right: list[int]) -> list[int]:
    """Merge two sorted lists."""
    result: list[int] = []
    while left and right:
        result.append((left if left[0] <= right[0] else right).pop(0))
    return result + left + right
'''
SERVICES = ("calendar", "tickets", "browser", "database", "storage", "mail", "wiki", "builds")
VERBS = ("list", "create", "update", "delete", "search", "export", "import", "archive")


def prose(rng: random.Random, words: int) -> str:
    said = [rng.choice(WORDS) for _ in range(words)]
    for index in range(0, words, 13):
        said[index] = said[index].capitalize()
        said[index - 1] += "."
    return " ".join(said)


def tool(rng: random.Random, number: int) -> Json:
    """A tool as servers describe theirs: fields with types, values, defaults, lists and objects within objects."""
    service, verb = SERVICES[number % len(SERVICES)], VERBS[number // len(SERVICES) % len(VERBS)]
    properties: Json = {}
    for index in range(rng.randint(1, 6)):
        properties[f"{rng.choice(WORDS)}_{rng.choice(('id', 'name', 'path', 'limit'))}_{index}"] = _field(rng, index)
    schema: Json = {"type": "object", "properties": properties, "required": list(properties)[: rng.randint(1, 3)]}
    if number % 3 == 0:
        schema |= {"additionalProperties": False}
    if number % 5 == 0:
        schema |= {"$schema": "http://json-schema.org/draft-07/schema#"}
    description = f"{verb.capitalize()}s entries of the {service}. {prose(rng, rng.randint(8, 40))}"
    return {
        "type": "function",
        "function": {"name": f"{service}_{verb}", "description": description, "parameters": schema},
    }


def _field(rng: random.Random, index: int) -> Json:
    about = {"description": prose(rng, rng.randint(3, 18))}
    match (index + rng.randint(0, 1)) % 6:
        case 0:
            return {"type": "string", **about}
        case 1:
            return {"type": "integer", "minimum": 1, "default": 20, **about}
        case 2:
            return {"type": "string", "enum": rng.sample(["open", "closed", "draft", "merged", "all"], 3), **about}
        case 3:
            return {"type": "array", "items": {"type": "string"}, **about}
        case 4:
            return {"type": "boolean", "default": False, **about}
        case _:
            inner = {"from": {"type": "string", "description": prose(rng, 5)}, "to": {"type": "string"}}
            return {"type": "object", "properties": inner, "required": ["from"], **about}


def _system(rng: random.Random, words: int = 60) -> Json:
    return {"role": "system", "content": "You help with a program for archives. " + prose(rng, words)}


def _chat(rng: random.Random, turns: int, words: int, text: Callable[[int], str] | None = None) -> list[Json]:
    say = text or (lambda count: prose(rng, count))
    said: list[Json] = []
    for _ in range(turns):
        said.append({"role": "user", "content": say(words)})
        said.append({"role": "assistant", "content": say(words * 2)})
    return [*said, {"role": "user", "content": say(words)}]


def _round(rng: random.Random, number: int, calls: int, words: int, speaks: bool) -> list[Json]:
    made: list[Json] = []
    results: list[Json] = []
    for index in range(calls):
        name = ("read", "bash", "grep")[rng.randint(0, 2)]
        arguments = {
            "read": {"path": f"app/{rng.choice(WORDS)}_{number}.py", "offset": rng.randint(1, 90)},
            "bash": {"command": f"ls -l {rng.choice(WORDS)} && wc -l {rng.choice(WORDS)}.txt"},
            "grep": {"pattern": rng.choice(WORDS), "paths": ["app", "tests"], "ignore_case": True},
        }[name]
        call_id = f"call{number:03d}{index:02d}"
        made.append({"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}})
        results.append({"role": "tool", "tool_call_id": call_id, "name": name, "content": _output(rng, words, number)})
    return [{"role": "assistant", "content": prose(rng, 12) if speaks else "", "tool_calls": made}, *results]


def _output(rng: random.Random, words: int, number: int) -> str:
    """What a tool says: lines with numbers in every third round, such as a listing, and prose else."""
    if number % 3 != 1:
        return prose(rng, words)
    return "\n".join(f"{n:>4}\t{prose(rng, 6)}" for n in range(1, 2 + words // 8))


OWN_TOOLS: list[Json] = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": {field: {"type": kind, "description": f"The {field}."} for field, kind in fields.items()},
                "required": list(fields)[:1],
            },
        },
    }
    for name, description, fields in (
        ("read", "Reads a file in the folder.", {"path": "string", "offset": "integer"}),
        ("bash", "Runs a command and returns its output.", {"command": "string"}),
        ("grep", "Finds lines in files.", {"pattern": "string", "paths": "array", "ignore_case": "boolean"}),
    )
]


PICTURES: list[tuple[int, int]] = [
    *((side, side) for side in (16, 50, 64, 200, 256, 384, 385, 512, 768, 1000, 1024, 1092, 1568, 2048, 4000, 9000)),
    *((640, 480), (800, 600), (960, 540), (1280, 720), (1366, 768), (1920, 1080), (2560, 1440), (3840, 2160)),
    *((480, 640), (1080, 1920), (1170, 2532), (2480, 3508), (1240, 1754)),
    *((3000, 200), (100, 1500), (1541, 1543), (1025, 1029), (777, 333), (5000, 37), (33, 57), (700, 90)),
]
"""Widths and heights: icons, photographs, screens, phones, pages, banners, and sizes near the rules' borders."""


def requests() -> list[tuple[str, Json]]:
    """Forty requests, each with its kind: {"messages": [...], "tools": [...]}."""
    rng = random.Random(23)
    made: list[tuple[str, Json]] = []

    def add(kind: str, messages: list[Json], tools: list[Json] | None = None) -> None:
        made.append((kind, {"messages": messages, "tools": tools or []}))

    for turns, words in ((0, 12), (1, 30), (4, 20), (12, 15)):
        add("chat", _chat(rng, turns, words))
    for turns, words in ((3, 900), (40, 60), (10, 400)):
        add("long", [_system(rng), *_chat(rng, turns, words)])
    for turns, words in ((0, 40), (2, 40), (8, 25), (3, 120)):
        add("system", [_system(rng), *_chat(rng, turns, words)])
    for rounds, words in ((1, 40), (4, 12), (12, 6), (40, 3), (10, 120), (6, 500)):
        said = [message for n in range(rounds) for message in _round(rng, n, 1, words, rounds % 5 < 2 and n % 3 == 0)]
        add("rounds", [_system(rng), *_chat(rng, 0, 25), *said], OWN_TOOLS)
    for calls, words in ((2, 20), (3, 60), (5, 10), (8, 5), (4, 200)):
        said = [message for n in range(3) for message in _round(rng, n, calls, words, calls % 2 == 0 and n == 0)]
        add("parallel", [_system(rng), *_chat(rng, 0, 25), *said], OWN_TOOLS)
    for count in (1, 2, 3, 5, 8, 12, 20, 30, 45, 60):
        add(
            "tools",
            [_system(rng, 20 if count % 2 else 90), *_chat(rng, count % 3, 20)],
            [tool(rng, n) for n in range(count)],
        )
    for turns in (0, 2, 6):
        add("chinese", [_system(rng), *_chat(rng, turns, 1, lambda words: CHINESE * (words + 1))])
    for turns in (0, 2, 5):
        add("code", [_system(rng), *_chat(rng, turns, 1, lambda words: f"Look at this:\n```python\n{CODE * words}```")])
    for turns in (1, 3):
        own = [tool(rng, n) for n in range(4)]
        add("no system", _chat(rng, turns, 40), own)
    return made
