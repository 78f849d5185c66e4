"""Sessions of agents of many kinds, made up: other tools, argument shapes, languages and errors than those tuned on.

Each knows what of it must be kept, so that no pattern has to find it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator

import msgspec

from desktop_app.conversation.message import Message, Role, Text, ToolCall, ToolResult


class Kind(msgspec.Struct, frozen=True):
    """A kind of session. read, edit: tool name and arguments for a path. path: of the nth file. error: the nth line.

    asks: what the user says, with the places {path}, {name}, {number} and {link}. rules: said in the first messages.
    is_text: calls and results are written as text of the model and of the user.
    """

    read: Callable[[str], tuple[str, object]]
    edit: Callable[[str], tuple[str, object]]
    path: Callable[[int], str]
    error: Callable[[int], str]
    asks: tuple[str, ...]
    rules: tuple[str, ...]
    replies: tuple[str, ...]
    is_text: bool = False


class Session(msgspec.Struct, frozen=True):
    """Messages, and what the user and the tools said in them that must be kept. errors: of results with an error."""

    messages: tuple[Message, ...]
    facts: frozenset[str]
    edited: frozenset[str]
    errors: frozenset[str]
    rules: tuple[str, ...]


ENGLISH = (
    "The export in {path} is slow for customer {number}, please look why.",
    "Now have `{name}` take the limit from the settings, see {link} for the reason.",
    "Ticket OPS-{number} says that {path} breaks on empty input; the deadline is 2025-03-{day}.",
    "That was fine. What about {name} then?",
)
REPLIES = (
    "I look at the file first.",
    "The root cause is that the rows come unsorted from the queue, so that the merge step reads them twice.",
    "Done, and the tests pass. Should I go on with the next one?",
)

KINDS: dict[str, Kind] = {
    "TypeScript, camelCase arguments": Kind(
        read=lambda path: ("readFile", {"filePath": path, "startLine": 1}),
        edit=lambda path: ("insertEdit", {"filePath": path, "explanation": "as asked", "code": "x"}),
        path=lambda n: f"packages/web/src/view{n}/Panel{n}.tsx",
        error=lambda n: f"packages/web/src/a{n}.ts(12,{n}): error TS2345: Argument of type 'A{n}' is not assignable.",
        asks=ENGLISH,
        rules=("Never use any in new code.", "Prefer named exports.", "You must keep the bundle under 300 kB."),
        replies=REPLIES,
    ),
    "Rust, patches": Kind(
        read=lambda path: ("shell", {"command": ["bash", "-lc", f"cat {path}"]}),
        edit=lambda path: (
            "apply_patch",
            {"input": f"*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch"},
        ),
        path=lambda n: f"crates/core/src/part_{n}.rs",
        error=lambda n: f"error[E0{382 + n}]: borrow of moved value: `row_{n}`",
        asks=ENGLISH,
        rules=("Don't use unwrap outside of tests.", "All public items should have docs."),
        replies=REPLIES,
    ),
    "Go, heredocs, German": Kind(
        read=lambda path: ("run_terminal_cmd", {"command": f"sed -n 1,80p {path}"}),
        edit=lambda path: (
            "run_terminal_cmd",
            {"command": f"cat > {path} <<'EOF'\nif a > b.c {{\nEOF", "is_background": False},
        ),
        path=lambda n: f"internal/svc{n}/handler_{n}.go",
        error=lambda n: f"./main_{n}.go:{n}:3: undefined: Foo{n}",
        asks=(
            "Bitte sieh dir {path} an, der Export für Kunde {number} ist zu langsam.",
            "Jetzt soll `{name}` das Limit aus den Einstellungen lesen, siehe {link}.",
            "Ticket OPS-{number}: {path} bricht bei leerer Eingabe ab, Frist ist der 2025-03-{day}.",
        ),
        rules=("Niemals direkt auf main pushen.", "Bitte immer go vet vor dem Commit ausführen."),
        replies=(
            "Ich sehe mir die Datei an.",
            "Die Ursache waren unsortierte Zeilen aus der Warteschlange.",
            "Erledigt.",
        ),
    ),
    "Java, nested lists, Chinese": Kind(
        read=lambda path: ("view_file", {"AbsolutePath": path}),
        edit=lambda path: ("multi_replace", {"edits": [{"file_path": path, "old_string": "a", "new_string": "b"}]}),
        path=lambda n: f"src/main/java/org/acme/Service{n}.java",
        error=lambda n: f"Caused by: java.sql.SQLException: Duplicate key {n} for table t_{n}",
        asks=(
            "请看一下 {path}，客户 {number} 的导出太慢了。",
            "现在让 `{name}` 从设置里读取限制，原因见 {link} 。",
            "工单 OPS-{number}：{path} 在空输入时崩溃，截止日期 2025-03-{day}。",
        ),
        rules=("必须先运行测试再提交。", "不要修改数据库结构。"),
        replies=("我先看一下文件。", "原因是队列里的行没有排序，所以合并时读了两次。", "完成了。"),
    ),
    "Python, text only": Kind(
        read=lambda path: ("bash", {"command": f"cat {path}"}),
        edit=lambda path: ("bash", {"command": f"sed -i 's/a/b/' {path}"}),
        path=lambda n: f"app/jobs/job_{n}.py",
        error=lambda n: f"FAILED tests/test_job_{n}.py::test_rows - AssertionError: assert {n} == {n + 1}",
        asks=ENGLISH,
        rules=("Always run ruff before you say that it is done.", "You should not touch app/legacy."),
        replies=REPLIES,
        is_text=True,
    ),
    "service desk, HTTP errors": Kind(
        read=lambda path: ("get_order", {"order_id": path}),
        edit=lambda path: ("update_document", {"document": {"path": path, "contents": "x"}}),
        path=lambda n: f"contracts/2025/contract_{n}.md",
        error=lambda n: f'{{"error": "order {n}-{n * 7} could not be refunded twice"}}',
        asks=(
            "Hello, my order {number} has not come, the receipt is at {link}.",
            "My address is {name}@example.org, and it was paid on 2025-03-{day}.",
            "Please put it into {path} that I waited since 2025-02-{day}.",
        ),
        rules=("You must not call me before noon.", "I prefer a refund to a voucher."),
        replies=(
            "I look it up.",
            "I see order and receipt, and have told the warehouse about it.",
            "Is there anything else?",
        ),
    ),
}


def session(kind: Kind, turns: int, seed: int) -> Session:
    """So many requests of the user, each with a read, an edit, and now and then an error."""
    random_of = random.Random(seed)
    said: list[Message] = [_message(Role.SYSTEM, Text("You are careful."))]
    facts, edited, errors = set[str](), set[str](), set[str]()
    for turn in range(turns):
        path, number = kind.path(turn), f"{turn + 1}{random_of.randrange(1_000, 9_999)}"
        words = {"path": path, "number": number, "name": f"load_rows_{turn}", "day": f"{turn % 27 + 1:02}"}
        words["link"] = f"https://docs.example.org/p/{number}#s{turn}"
        ask = kind.asks[turn % len(kind.asks)]
        if turn < 0.6 * turns:
            facts.update(value for key, value in words.items() if f"{{{key}}}" in ask and key != "day")
        rule = kind.rules[turn] if turn < len(kind.rules) else ""
        said.append(_message(Role.USER, Text(f"{ask.format(**words)} {rule}".strip())))
        said += _tried(kind, kind.read(path), _listing(path, random_of), f"r{turn}")
        failure = kind.error(turn) if turn % 5 == 2 else ""
        errors.update([failure] if failure and turn < 0.6 * turns and not kind.is_text else [])
        edited.add(path)
        output = f"{_listing(path, random_of)}\n{failure}\ndone" if failure else "ok"
        said += _tried(kind, kind.edit(path), output, f"e{turn}")
        said.append(_message(Role.ASSISTANT, Text(f"{random_of.choice(kind.replies)} {kind.replies[1]}")))
    messages = [msgspec.structs.replace(message, id=f"m{place}") for place, message in enumerate(said)]
    return Session(tuple(messages), frozenset(facts), frozenset(edited), frozenset(errors), kind.rules)


def _message(role: Role, *parts: Text | ToolCall | ToolResult) -> Message:
    return Message(role=role, parts=parts)


def _tried(kind: Kind, call: tuple[str, object], output: str, call_id: str) -> Iterator[Message]:
    name, arguments = call
    if kind.is_text:
        command = arguments["command"] if isinstance(arguments, dict) else ""
        yield _message(Role.ASSISTANT, Text(f"{kind.replies[0]}\n```bash\n{command}\n```"))
        yield _message(Role.USER, Text(f"<returncode>0</returncode>\n<output>\n{output}\n</output>"))
    else:
        yield _message(Role.ASSISTANT, ToolCall(call_id, name, json.dumps(arguments, ensure_ascii=False)))
        yield _message(Role.TOOL, ToolResult(call_id, name, output))


def _listing(path: str, random_of: random.Random) -> str:
    words = ("row", "queue", "merge", "limit", "index", "total", "page", "shard")
    lines = [f"    {random_of.choice(words)} = {random_of.choice(words)}({random_of.choice(words)})" for _ in range(30)]
    return "\n".join([f"// {path.rsplit('/', 1)[-1]}", *lines])
