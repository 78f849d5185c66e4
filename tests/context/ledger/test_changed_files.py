"""Which files are changed or read is told from calls of any shape."""

from __future__ import annotations

import time
from typing import Any

import msgspec
import pytest

from builders import call, head, model, result, user
from desktop_app.context.ledger.changed_files import (
    Manner,
    edited_by_command,
    fields_of,
    files_edited_in,
    files_of_call,
    has_failed,
    touches,
)
from desktop_app.context.ledger.ledger import ledger_of
from desktop_app.conversation.memory import Ledger
from desktop_app.conversation.message import ToolCall, ToolResult
from slowness import slowness

READ, PART, CHANGE = "read", "read part", "change"
PATH = "src/app/Main.tsx"
PATCH = f"*** Begin Patch\n*** Update File: {PATH}\n@@\n-a\n+b\n*** End Patch"


def files(name: str, fields: dict[str, Any]) -> tuple[list[str], list[str]]:
    return files_of_call(call(name, msgspec.json.encode(fields).decode()), fields)


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("write_file", {"filePath": PATH, "content": "x"}),
        ("edit_file", {"target_file": PATH, "code_edit": "x", "instructions": "i"}),
        ("apply_patch", {"input": PATCH}),
        ("apply_diff", {"path": PATH, "diff": "x"}),
        ("text_tool", {"command": "create", "path": PATH, "file_text": "x"}),
        ("str_replace_editor", {"command": "str_replace", "path": PATH, "old_str": "a", "new_str": "b"}),
        ("MultiEdit", {"file_path": PATH, "edits": [{"old_string": "a", "new_string": "b"}]}),
        ("multi", {"edits": [{"file_path": PATH, "new_string": "b"}]}),
        ("write_files", {"files": [{"path": PATH, "content": "x"}]}),
        ("propose", {"changes": {PATH: "x"}}),
        ("shell", {"command": ["bash", "-lc", f"cat > {PATH} <<'EOF'\nif a > b.c:\nEOF"]}),
        ("bash", {"command": f"sed -i 's/a > c/b/' {PATH}"}),
        ("run_terminal_cmd", {"command": f"echo 'x > y' >> {PATH} 2>/dev/null"}),
        ("bash", {"command": f"cd /x && tee {PATH} <<EOF\nq > r\nEOF"}),
        ("execute_command", {"command": f"apply_patch <<'EOF'\n{PATCH}\nEOF"}),
        ("bash", {"cmd": f"git mv a.txt {PATH}"}),
        ("bash", {"cmd": f"git apply <<'E'\n--- a/{PATH}\n+++ b/{PATH}\nE"}),
        ("fs", {"operation": "append", "uri": PATH, "content": "x"}),
        ("replace_symbol_body", {"relative_path": PATH, "body": "x"}),
        ("upsert", {"document": {"path": PATH, "contents": "x"}}),
        ("Notebook", {"notebook_path": PATH, "new_source": "x"}),
        ("update", {"AbsolutePath": PATH, "CodeContent": "x"}),
        ("python", {"code": f"open('{PATH}', 'w').write('x')"}),
        ("rename_file", {"source": "a.py", "destination": PATH}),
    ],
)
def test_a_changed_file_is_known_whatever_the_tool_is_called(name: str, fields: dict[str, Any]) -> None:
    assert files(name, fields) == ([PATH], [])


@pytest.mark.parametrize(
    ("name", "fields", "read"),
    [
        ("read_file", {"filePath": PATH}, [PATH]),
        ("str_replace_editor", {"command": "view", "path": PATH}, [PATH]),
        ("view_file", {"AbsolutePath": PATH}, [PATH]),
        ("read_many_files", {"paths": [PATH, "b.py"]}, [PATH, "b.py"]),
        ("bash", {"command": f"grep -n 'a > b' {PATH} 2>/dev/null | sed -n 1,5p"}, []),
        ("bash", {"command": f"python run.py {PATH} > /dev/null 2>&1"}, []),
        ("get_weather", {"city": "Oslo"}, []),
        ("open_page", {"url": "https://example.org/a.html"}, []),
    ],
)
def test_what_only_looks_changes_nothing(name: str, fields: dict[str, Any], read: list[str]) -> None:
    assert files(name, fields) == ([], read)


@pytest.mark.parametrize(
    "text",
    [
        f"{PATH}\n```tsx\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```",
        f"<write_to_file>\n<path>{PATH}</path>\n<content>x</content></write_to_file>",
        f"<function=editor>\n<parameter=command>create</parameter>\n<parameter=path>{PATH}</parameter>",
        f"I write it.\n```bash\ncat <<'EOF' > {PATH}\nx\nEOF\n```",
        f"I fix it.\n```bash\nsed -i 's/a/b/' {PATH}\n```",
        f"First:\n```\ncreate {PATH}\n```",
        f"```diff\n--- a/{PATH}\n+++ b/{PATH}\n@@ -1 +1 @@\n```",
    ],
)
def test_edits_written_as_text_are_known(text: str) -> None:
    assert list(dict.fromkeys(files_edited_in(text))) == [PATH]


def test_arguments_that_are_no_object_may_be_a_patch() -> None:
    assert files_of_call(call("apply_patch", PATCH), {}) == ([PATH], [])


def test_an_edit_without_a_path_means_the_open_file() -> None:
    shown = "[File: /repo/a.py (9 lines total)]\n(Open file: /repo/a.py)\n(Current directory: /repo)\nbash-$"
    said = head(model("```\nopen a.py\n```"), user(shown), model("I mend it.\n```\nedit 1:2\nx = 1\nend_of_edit\n```"))
    assert [fact.text for fact in ledger_of(said, Ledger()).files_edited] == ["/repo/a.py"]


@pytest.mark.parametrize("text", [">" * 100_000, "<<A\n" * 50_000, "'" * 99_999, "sed -i " * 30_000, "```\n" * 50_000])
def test_no_command_takes_long(text: str) -> None:
    list(edited_by_command(text))
    list(files_edited_in(text))


HOSTILE = {
    "redirections": {"command": "> a " * 200_000},
    "segments": {"command": ";tee a" * 150_000},
    "quotes": {"command": "'\"" * 300_000},
    "heredocs": {"command": "cat > x <<E\n" * 80_000},
    "many keys": {f"k{n}": "x" for n in range(60_000)},
    "many paths": {"paths": [f"a/{n}.py" for n in range(60_000)]},
    "opened": {"code": "open('a','" * 90_000},
    "blocks": {"input": "a\n<<<<<<< SEARCH\n" * 50_000},
}


@pytest.mark.parametrize("fields", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.long
def test_hostile_arguments_take_about_a_second_at_most(fields: dict[str, Any]) -> None:
    started = time.process_time()
    said = head(model("", call("bash", msgspec.json.encode(fields).decode())), result("ok"))
    ledger_of(said, Ledger())
    assert time.process_time() - started < 2.0 * slowness()


@pytest.mark.parametrize(
    ("name", "fields", "expected"),
    [
        ("Read", {"file_path": "/a/b.py"}, [("/a/b.py", READ)]),
        ("read_text_file", {"path": "./a//b.py"}, [("a/b.py", READ)]),
        ("get_file_contents", {"path": "a\\b.py"}, [("a/b.py", READ)]),
        ("view", {"path": "a.py", "offset": 0, "limit": None}, [("a.py", READ)]),
        ("read", {"path": "a.py", "start_line": 1}, [("a.py", READ)]),
        ("read", {"path": "a.py", "offset": 2}, [("a.py", PART)]),
        ("read", {"path": "a.py", "limit": 1}, [("a.py", PART)]),
        ("str_replace_editor", {"command": "view", "path": "a.py"}, [("a.py", READ)]),
        ("str_replace_editor", {"command": "view", "path": "a.py", "view_range": [1, 2]}, [("a.py", PART)]),
        ("bash", {"command": "sed -i s/a/b/ a.py"}, [("a.py", CHANGE)]),
        ("apply_patch", {"input": "*** Update File: a.py\n*** Add File: b.py\n"}, [("a.py", CHANGE), ("b.py", CHANGE)]),
        ("bash", {"command": "cat a.py"}, [("a.py", READ)]),
        ("bash", {"command": "cat a.py > b.py"}, [("b.py", CHANGE)]),
        ("bash", {"command": "cat a.py b.py"}, []),
        ("bash", {"command": "grep x a.py"}, []),
        ("list_directory", {"path": "src"}, []),
        ("grep", {"path": "src", "pattern": "x"}, []),
        ("read_url", {"path": "x"}, []),
        ("read_files", {"paths": ["a.py", "b.py"]}, [("a.py", READ), ("b.py", READ)]),
        ("read", {"path": 3}, []),
        ("read", {}, []),
    ],
)
def test_what_a_call_does_with_which_file(
    name: str, fields: dict[str, object], expected: list[tuple[str, Manner]]
) -> None:
    assert touches(ToolCall("c", name, "{}"), fields) == expected


@pytest.mark.parametrize("arguments", ["", "{", "[1]", '"text"', "[" * 100_000, "\ud800", '{"a": "\ud800"}'])
def test_what_is_no_json_object_has_no_fields(arguments: str) -> None:
    assert fields_of(ToolCall("c", "read", arguments)) is None


@pytest.mark.parametrize(
    "text",
    [
        "Error: no such file",
        "\n<tool_use_error>File does not exist",
        "ENOENT: no such file or directory",
        "Traceback (most recent call last):",
        "ValueError: 3",
        "Cannot open a.py",
        "fatal: not a git repository",
    ],
)
def test_a_failure_shows_in_how_the_result_begins(text: str) -> None:
    assert has_failed(ToolResult("c", "read", text))


@pytest.mark.parametrize("text", ["ok\nError: later", "errors = []", "The permission was denied", ""])
def test_other_results_fail_by_their_flag_alone(text: str) -> None:
    assert not has_failed(ToolResult("c", "read", text))
    assert has_failed(ToolResult("c", "read", text, is_error=True))
