from __future__ import annotations

import pytest

from desktop_app.context.ledger.tool_names import Manner, fields_of, has_failed, touches
from desktop_app.conversation.message import ToolCall, ToolResult

READ, PART, CHANGE = "read", "read part", "change"


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
        ("str_replace_editor", {"command": "str_replace", "path": "a.py"}, [("a.py", CHANGE)]),
        ("bash", {"command": "sed -i s/a/b/ a.py"}, [("a.py", CHANGE)]),
        ("MultiEdit", {"file_path": "a.py", "edits": []}, [("a.py", CHANGE)]),
        ("create_file", {"filename": "a.py"}, [("a.py", CHANGE)]),
        ("apply_patch", {"input": "*** Update File: a.py\n*** Add File: b.py\n"}, [("a.py", CHANGE), ("b.py", CHANGE)]),
        ("bash", {"command": "cat a.py"}, [("a.py", READ)]),
        ("bash", {"command": "cat a.py > b.py"}, [("b.py", CHANGE)]),
        ("bash", {"command": "cat a.py b.py"}, []),
        ("bash", {"command": "grep x a.py"}, []),
        ("list_directory", {"path": "src"}, []),
        ("read_directory_tree", {"path": "src"}, []),
        ("grep", {"path": "src", "pattern": "x"}, []),
        ("read_url", {"path": "x"}, []),
        ("get_order", {"path": "x"}, []),
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
    ("text", "is_failure"),
    [
        ("Error: no such file", True),
        ("\n<tool_use_error>File does not exist", True),
        ("ENOENT: no such file or directory", True),
        ("Traceback (most recent call last):", True),
        ("ValueError: 3", True),
        ("Cannot open a.py", True),
        ("fatal: not a git repository", True),
        ("ok\nError: later", False),
        ("errors = []", False),
        ("The permission was denied", False),
        ("", False),
    ],
)
def test_a_failure_shows_in_how_the_result_begins(text: str, is_failure: bool) -> None:
    assert has_failed(ToolResult("c", "read", text)) is is_failure
    assert has_failed(ToolResult("c", "read", text, is_error=True))
