"""A conversation becomes a file: whole, readable, and one that can be imported again."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from test_take_turn import long_chat

from builders import message, model, result, user
from desktop_app.chat.export_content import ExportedPart, content_of
from desktop_app.chat.export_files import FORMATS, render_export, write_export
from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session
from desktop_app.context.view.view import view_of
from desktop_app.conversation.listing import title_in_english
from desktop_app.conversation.message import Attachment, Message, Part, Reasoning, Role, ToolCall
from desktop_app.conversation.message_rows import MessageState
from desktop_app.conversation.openai_chat import read_chat
from desktop_app.conversation.transcript import AnyEntry, Chain, Compaction, Rewind, Switch, Transcript, Trigger
from texts import EXPORTED_VIEW, MARKED_ARCHIVED

AT = datetime(2026, 11, 22, 14, 3).timestamp()
PIXEL, OTHER_PIXEL = "data:image/png;base64,iVBORw0KGgo=", "data:image/jpeg;base64,iVBORw0KGgo="
FENCED = "Look:\n```\ncode\n```"
SAID = [
    user("What is in it?", Attachment("a.txt", "text/plain", "one ``` two")),
    model(Reasoning("First\nthen"), "I look.", ToolCall("c", "read", '{"a": 1}')),
    result(FENCED, name="read"),
    model("Code, half of 🙂: \ud83d."),
]


async def talked(house) -> Session:
    home = await house([])
    return await home.chats.create("Files", SAID)


def exported(session: Session, format: str, scope: str = "record", *, project: str = "", **ends: str) -> str:
    return render_export(content_of(session.info.title, session.view, ExportedPart(scope, **ends), project), format)


def export(session: Session, path: Path, format: str, scope: str = "record") -> int:
    return write_export(path, exported(session, format, scope))


async def test_markdown_has_everything_that_was_said(house, tmp_path: Path) -> None:
    session = await talked(house)
    size = export(session, tmp_path / "a.md", "markdown")
    text = (tmp_path / "a.md").read_text()
    assert len(text.encode()) == size
    assert text.startswith("# Files\n\n## You\n\n*20")
    assert "*\n\nWhat is in it?\n\na.txt:\n\n````\none ``` two\n````\n\n## Assistant" in text
    assert '> First\n> then\n\nI look.\n\nCalls `read`:\n\n```\n{"a": 1}\n```' in text
    assert f"`read` answered:\n\n````\n{FENCED}\n````" in text, "what is in a fence does not end it"


async def test_its_project_is_named_for_people_and_is_no_message(house) -> None:
    session = await talked(house)
    markdown, html, lines = (exported(session, kind, project="A & B") for kind in FORMATS)
    assert markdown.startswith("# Files\n\nProject: A & B\n\n## You")
    assert '<h1 dir="auto">Files</h1>\n<p>Project: A &amp; B</p>' in html
    assert lines == exported(session, "json")


async def test_json_can_be_imported_again_and_archived_messages_are_in_it(talk, tmp_path: Path) -> None:
    home, session = await talk([], messages=[*long_chat(70), *SAID])
    await home.make_room(session, Trigger.USER)
    assert session.view.summary is not None
    export(session, tmp_path / "a.jsonl", "json")
    again = await home.chats.create("Again", read_chat((tmp_path / "a.jsonl").read_bytes(), str))
    rows, before = again.page(again.total, again.total), session.page(session.total, session.total)
    assert [row.message.role for row in rows] == [row.message.role for row in before]
    assert [row.message.tool_calls for row in rows] == [row.message.tool_calls for row in before]
    assert "Answer 3: " in rows[7].message.text


@pytest.mark.parametrize("path", ["nowhere/a.md", ".", "a\0b", "taken"])
async def test_what_cannot_be_written_is_told_and_leaves_nothing(house, tmp_path: Path, path: str, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    session = await talked(house)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(WorldError, match="could not be written"):
        export(session, Path(path), "markdown")
    assert sorted(tmp_path.iterdir()) == before


async def test_what_the_model_sees_now_is_exported_without_what_is_archived(talk, tmp_path: Path) -> None:
    home, session = await talk([], messages=[*long_chat(70), *SAID])
    await home.make_room(session, Trigger.USER)
    whole, seen = (exported(session, "markdown", scope) for scope in ("record", "view"))
    archived = next(m for m in session.page(session.total, session.total) if m.state is MessageState.ARCHIVED)
    assert archived.message.text in whole
    assert session.view.summary.summary in seen
    assert session.view.summary.summary not in whole
    assert len(seen) < len(whole)
    html = exported(session, "html")
    assert html.count('<span class="tag">archived</span>') == len(session.view.summary.archived)


async def test_a_file_that_is_there_is_replaced_only_on_demand(house, tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("mine")
    with pytest.raises(WorldError) as refused:
        write_export(file, "other")
    assert refused.value.failure.kind == "exists"
    assert file.read_text() == "mine"
    assert write_export(file, "other", is_replacing=True) == 5
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]
    assert file.read_text() == "other"


def test_a_disk_that_is_full_leaves_neither_a_file_nor_a_half(tmp_path: Path, monkeypatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(WorldError, match="could not be written"):
        write_export(tmp_path / "a.md", "text")
    assert list(tmp_path.iterdir()) == []


async def test_a_part_begins_or_ends_at_a_message_and_keeps_calls_with_their_results(house) -> None:
    session = await talked(house)
    ids = [item.message.id for item in session.view.items if item.message.role is not Role.SYSTEM]

    def lines(**ends: str) -> list[str]:
        text = exported(session, "json", **ends)
        return [line["role"] for line in map(json.loads, text.splitlines()) if line["role"] != "system"]

    assert lines(first=ids[3]) == ["assistant"]
    assert lines(first=ids[2]) == ["assistant", "tool", "assistant"], "the result comes with its call"
    assert lines(last=ids[0]) == ["user"]
    assert lines(last=ids[1]) == ["user", "assistant", "tool"]
    assert lines(first=ids[0], last=ids[0]) == ["user"]
    assert lines() == ["user", "assistant", "tool", "assistant"]


async def test_a_conversation_without_a_title_has_a_heading(house) -> None:
    session = await (await house([])).chats.create("", SAID)
    assert exported(session, "markdown").startswith("# New conversation\n")


def test_the_disk_has_the_new_file_before_the_old_one_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, done = tmp_path / "chat.md", list[tuple[str, int]]()
    write_export(path, "old")
    sync, replace = os.fsync, os.replace

    def noted_sync(descriptor: int) -> None:
        sync(descriptor)
        done.append(("synced", os.fstat(descriptor).st_size))

    def noted_replace(one: Path, other: Path) -> None:
        done.append(("replaced", os.stat(one).st_size))
        replace(one, other)

    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(os, "replace", noted_replace)
    assert write_export(path, "newer", is_replacing=True) == 5
    assert done == [("synced", 5), ("replaced", 5)]
    assert path.read_text() == "newer"


def say(name: str, role: Role, *parts: Part | str, **fields: object) -> Message:
    return message(role, *parts, id=name, at=AT, **fields)


def rendered(entries: Sequence[AnyEntry], format: str, scope: str = "record", title: str = "T") -> str:
    return render_export(content_of(title, view_of(Transcript(Chain(entries))), ExportedPart(scope)), format)


QUESTION, ANSWER = say("q", Role.USER, "First question"), say("a", Role.ASSISTANT, "First answer")
VERSIONS = [
    *(QUESTION, ANSWER),
    *(Rewind(id="r", at=AT, first_message_id="a"), say("b", Role.ASSISTANT, "Second answer")),
    *(say("q2", Role.USER, "And then?"), say("a2", Role.ASSISTANT, "Then this.")),
]


@pytest.mark.parametrize("format", FORMATS)
def test_one_version_of_each_message_is_exported_and_the_others_are_told_of(format: str) -> None:
    text = rendered(VERSIONS, format)
    assert "First answer" not in text
    assert text.index("First question") < text.index("Second answer") < text.index("And then?")
    back = rendered([*VERSIONS, Switch(branch="")], format)
    assert "First answer" in back
    assert "Second answer" not in back
    assert "And then?" not in back
    if format != "json":
        assert "those left out have 1 message." in text
        assert "those left out have 3 messages." in back
        assert text.count("version 2 of 2") == back.count("version 1 of 2") == 1
        assert "· archived" not in text + back
        assert "archived</span>" not in text + back, "another version is not an archived message"


def test_a_conversation_of_one_version_speaks_of_none() -> None:
    for format in FORMATS:
        assert "version" not in rendered([QUESTION, ANSWER], format)


def test_markdown_has_dates_models_and_what_became_of_a_message() -> None:
    reply = say("a", Role.ASSISTANT, "Half of", model="openai/gpt-5", is_interrupted=True)
    rest = say("c", Role.ASSISTANT, "it.", model="openai/gpt-5", continues="a")
    archived = Compaction(id="k", trigger=Trigger.USER, strategy="llm", archived=("q",), summary="S")
    text = rendered([QUESTION, reply, rest, archived], "markdown")
    assert "## You\n\n*2026-11-22 14:03 · archived*\n\nFirst question" in text
    assert "## Assistant\n\n*2026-11-22 14:03 · gpt-5 · interrupted*\n\nHalf of" in text
    assert "*2026-11-22 14:03 · gpt-5 · continued*" in text
    assert MARKED_ARCHIVED in text
    html = rendered([QUESTION, reply, rest, archived], "html")
    assert html.count("2026-11-22 14:03") == 3
    assert html.count('<span class="tag">archived</span>') == 1


ENDINGS = [("length", "cut off"), ("content_filter", "refused"), ("malformed_call", "unreadable call")]


@pytest.mark.parametrize(("ending", "word"), [*ENDINGS, ("empty", "no answer")])
def test_a_reply_that_its_provider_ended_early_says_why(ending: str, word: str) -> None:
    reply = say("a", Role.ASSISTANT, "Half of", model="openai/gpt-5", ending=ending)
    assert f"*2026-11-22 14:03 · gpt-5 · {word}*" in rendered([QUESTION, reply], "markdown")
    assert f'<span class="tag">{word}</span>' in rendered([QUESTION, reply], "html")
    stopped = msgspec.structs.replace(reply, is_interrupted=True)
    for format in ("markdown", "html"):
        text = rendered([QUESTION, stopped], format)
        assert "interrupted" in text
        assert word not in text, "one reason, as in the transcript"


def test_markdown_has_pictures_which_are_in_it_once() -> None:
    one, same, two = (
        Attachment(n, "image/png", c) for n, c in (("a [1].png", PIXEL), ("b", PIXEL), ("c", OTHER_PIXEL))
    )
    far = Attachment("far", "image/png", "https://e.org/p.png")
    text = rendered([say("q", Role.USER, "Look", one, same, two, far)], "markdown")
    tokens = MarkdownIt("commonmark").parse(text)
    pictures = [child for token in tokens for child in token.children or () if child.type == "image"]
    assert [(picture.content, picture.attrs["src"]) for picture in pictures] == [
        ("a \\[1\\].png", PIXEL),
        ("b", PIXEL),
        ("c", OTHER_PIXEL),
    ]
    assert text.count(PIXEL) == 1
    assert "[far](<https://e.org/p.png>)" in text, "what is elsewhere is not fetched when the file is opened"


def test_what_the_model_sees_says_so_and_which_message_is_a_summary() -> None:
    archived = Compaction(id="k", at=AT, trigger=Trigger.USER, strategy="llm", archived=("q", "a"), summary="In short")
    asked = say("q2", Role.USER, "And?")
    for format in ("markdown", "html"):
        text = rendered([QUESTION, ANSWER, archived, asked], format, "view")
        assert EXPORTED_VIEW in text
        assert "In short" in text
        assert "summary" in text.split("In short")[0]


PIECES = [
    "```",
    "~~~",
    "````py",
    "\n",
    "\n\n",
    "    ",
    "- ",
    "> ",
    "<!--",
    "-->",
    "<pre>",
    "<script>",
    "<div>",
    "<?",
    "x",
    "# ",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_no_message_takes_in_the_next_one(text: str) -> None:
    entries = [say("a", Role.ASSISTANT, text), say("q", Role.USER, "next")]
    made = rendered(entries, "markdown")
    assert text in made
    tokens = MarkdownIt("commonmark").enable("table").parse(made)
    headings = [tokens[n + 1].content for n, token in enumerate(tokens) if token.tag == "h2" and token.nesting == 1]
    assert headings[-1] == "You"
    assert headings[0] == "Assistant"


@given(st.text(min_size=1, max_size=40))
@example("# *a* _b_ `c` [d](e) <f> & &amp; ~~g~~ $h$ \\ #")
@example("snake_case_name.py")
@example("__init__.py and __0__")
@example("--- \n# two")
def test_any_title_is_one_heading_that_reads_as_it_is(title: str) -> None:
    made = rendered([QUESTION], "markdown", title=title)
    tokens = MarkdownIt("commonmark", {"html": False}).enable("strikethrough").parse(made)
    assert tokens[0].tag == "h1"
    read = "".join(child.content for child in tokens[1].children or ())
    assert read.replace("\ufffd", "").split() == title_in_english(" ".join(title.split())).replace("\0", "").split()
