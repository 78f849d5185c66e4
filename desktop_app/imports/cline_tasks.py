"""Tasks of Cline, as versions before its sessions store them: `tasks/ID/api_conversation_history.json`.

The file is a list of all messages in Anthropic's format. Older models call tools by XML tags in their text, and the
results are texts such as "[read_file for 'a.txt'] Result:". `ui_messages.json` has what the window showed: the times,
the tokens, and which messages were no longer sent; `task_metadata.json` has the models. Based on the source code of
versions 3.2.0 and 3.85.0.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, cast

from msgspec.structs import replace

from desktop_app.conversation.foreign import ForeignCompaction
from desktop_app.conversation.message import Message, Role, Usage

from .agent_sessions import AgentSession, sibling, sibling_object, usage_of
from .anthropic_blocks import called_tools, turns_of
from .format import Fields, Found, json_in, json_of
from .sources import BYTE_ORDER_MARK, BadFile, Source

PROGRAM = "Cline"
MESSAGES, SHOWN, ABOUT, EDITS = (
    "api_conversation_history.json",
    "ui_messages.json",
    "task_metadata.json",
    "context_history.json",
)
TASK = re.compile(rb'\[\s*\{\s*"role":\s*"user",\s*"content":\s*\[\s*\{\s*"type":\s*"text",\s*"text":\s*"<task>')
"""How a task begins, in a file of any name."""
SPEAKING = {
    "attempt_completion": "result",
    "ask_followup_question": "question",
    "plan_mode_respond": "response",
    "plan_mode_response": "response",
    "act_mode_respond": "response",
}
"""Tools by which the model speaks to the user, and the parameter with its words."""
TOOLS = (
    *("execute_command", "replace_in_file", "read_file", "write_to_file", "search_files", "list_files", "apply_diff"),
    *("list_code_definition_names", "browser_action", "use_mcp_tool", "access_mcp_resource", "load_mcp_documentation"),
    *("new_task", "focus_chain", "web_fetch", "web_search", "condense", "summarize_task", "report_bug", "new_rule"),
    *("apply_patch", "generate_explanation", "use_skill", "use_subagents", "insert_content", "switch_mode"),
    *SPEAKING,
)
LONG = ("content", "diff")
"""Parameters that may contain tags themselves."""
OPENING = re.compile(rf"<(thinking|{'|'.join(TOOLS)})>")
PARAMETER = re.compile(r"<(\w+)>")
HEADER = re.compile(rf"\[({'|'.join(TOOLS)})(?:\]| .*?\]) Result:(?:\n|\Z)", re.DOTALL)
WORDS = re.compile(r"<(task|feedback|answer|user_message)>(.*?)</\1>", re.DOTALL)
"""Encloses what the user wrote."""
FILE = re.compile(r'<((?:final_)?file_content|folder_content) path="([^"]*)">(.*?)</\1>', re.DOTALL)
DETAILS = re.compile(r"<environment_details>.*?(?:</environment_details>|\Z)", re.DOTALL)
FOLDER = re.compile(r"Current Working Directory \((?:Primary: )?(.+?)\) Files")
INTERRUPTED = re.compile(r"\s*\[Response interrupted by [^\]]*\]\s*\Z")
FAILURES = ("The tool execution failed", "The user denied this operation")
READ = {"type", "text", "id", "name", "input", "tool_use_id", "content", "is_error", "source", "thinking"}
"""The fields of a block that are read."""
REMOVED = "[Earlier messages were removed to make room.]"
Json = dict[str, Any]


def recognizes_task(source: Source) -> bool:
    """Return whether the file has the messages of a task, or is one of those that belong to it."""
    name = source.name.rpartition("/")[2]
    if name in (SHOWN, ABOUT, EDITS):
        return sibling(source, MESSAGES) is not None or (name == SHOWN and {"ts", "type"} <= source.first_keys)
    return (name == MESSAGES and {"role", "content"} <= source.first_keys) or bool(TASK.match(source.beginning))


def read_task(source: Source) -> Iterator[Found]:
    """Yield the task. The other files are read with it."""
    if source.name.rpartition("/")[2] in (SHOWN, ABOUT, EDITS):
        return
    session = AgentSession(PROGRAM, source)
    messages = _list_in(source, session.unread)
    beginning = json_of(messages[0].peek("content")) if messages else ""
    session.id = f"task {hashlib.sha256(beginning.encode(errors='replace')).hexdigest()[:16]}"
    folder = FOLDER.search(beginning)
    session.folder = folder[1] if folder else ""
    _Task(session, _Shown(source)).add_all(messages)
    yield session.found()


def _list_in(source: Source, unread: list[str]) -> list[Fields]:
    """Return the objects of the list in a file; of one that breaks off, only the whole ones. Raises BadFile."""
    try:
        value = json.loads(source.read().removeprefix(BYTE_ORDER_MARK))
        return [Fields(each) for each in cast("list[object]", value)] if isinstance(value, list) else []
    except (ValueError, RecursionError):
        pass
    elements: list[Fields] = []
    try:
        elements.extend(Fields(each) for each in source.items("item"))
    except BadFile as error:
        unread.append(error.reason)
    return elements


class _Shown:
    """What the other files of a task say about its messages, by the positions of the messages."""

    def __init__(self, source: Source) -> None:
        window = sibling(source, SHOWN)
        try:
            lines = _list_in(window, []) if window is not None else []
        except BadFile:
            lines = []
        self._at: dict[int, list[Fields]] = {}
        self.removed: dict[int, tuple[int, int]] = {}
        """The messages, from one to another, that were no longer sent after the message at a position."""
        before = (0, -1)
        for line in lines:
            position = int(line.number("conversationHistoryIndex")) if "conversationHistoryIndex" in line else None
            if position is not None:
                self._at.setdefault(position, []).append(line)
                removed = _range(line.peek("conversationHistoryDeletedRange"))
                if removed and removed != before:
                    self.removed[max(position, removed[1])] = before = removed
        self._models = sibling_object(source, ABOUT).objects("model_usage")
        self.notice = _notice(sibling(source, EDITS))

    def time(self, position: int, role: Role) -> float:
        """Return when the message at a position was written; 0.0 if nothing says so."""
        times = [at for line in self._at.get(position - 1, ()) if (at := line.time("ts"))]
        return (min if role is Role.ASSISTANT else max)(times, default=0.0)

    def model(self, at: float) -> str:
        """Return the model that replied at a time; "" if nothing says so."""
        used = [each.text("model_id") for each in self._models if each.time("ts") <= at]
        return used[-1] if used else self._models[0].text("model_id") if self._models else ""

    def request(self, position: int) -> Fields:
        """Return the measured tokens of the reply at a position."""
        started = [each for each in self._at.get(position - 2, ()) if each.text("say") == "api_req_started"]
        return Fields(json_in(started[-1].text("text")) if started else {})


def _range(value: object) -> tuple[int, int] | None:
    match value:
        case [int(first), int(last)] if 0 < first <= last:
            return first, last
        case _:
            return None


def _notice(source: Source | None) -> str:
    """Return what Cline sends instead of the removed messages: the last text for the first reply."""
    try:
        edits = json_in(source.read()) if source is not None else []
        texts = [blocks[0][1][-1][2][0] for position, (_, blocks) in cast("Any", edits) if position == 1]
    except (BadFile, LookupError, TypeError, ValueError):
        return REMOVED
    return texts[0] if texts and isinstance(texts[0], str) and texts[0].strip() else REMOVED


class _Task:
    """Adds the messages of a task to a session."""

    def __init__(self, session: AgentSession, window: _Shown) -> None:
        self._session, self._shown = session, window
        self._names: dict[str, str] = {}
        self._waiting: list[tuple[str, str]] = []
        """The last reply's calls, as ids and names; "" for the id of one that is text."""

    def add_all(self, messages: Sequence[Fields]) -> None:
        """Add the messages, and a compaction where Cline removed some."""
        for position, message in enumerate(messages):
            record = f"message {position}"
            role = Role.ASSISTANT if message.text("role") == "assistant" else Role.USER
            at = message.time("ts") or self._shown.time(position, role)
            text = message.text("content")
            blocks = [{"type": "text", "text": text}] if text else message.values("content")
            if role is Role.ASSISTANT:
                self._session.add(record, self._reply(message, position, blocks, at))
            else:
                self._session.add(record, self._answer(blocks, at))
            message.skip("content")
            rests = [rest for each in blocks if (rest := _rest_of(each))]
            self._session.keep(record, Fields(message.rest() | ({"content": rests} if rests else {})))
            if removed := self._shown.removed.get(position):
                self._remove(removed, position, at)

    def _remove(self, removed: tuple[int, int], position: int, at: float) -> None:
        first, last = removed
        entries = [self._session.entries_of(f"message {each}") for each in range(position + 1)]
        before = [name for each in entries[:first] for name in each]
        after = [name for each in entries[last + 1 :] for name in each]
        compaction = ForeignCompaction(
            f"removed {first} to {last}",
            self._session.end,
            self._shown.notice,
            at,
            kept=(*before, *after),
            follows=before[-1] if before else "",
        )
        self._session.compact("removed", compaction)

    def _reply(self, message: Fields, position: int, content: Sequence[object], at: float) -> Iterator[Message]:
        blocks: list[Json] = []
        self._waiting = []
        is_interrupted = False
        for block in content:
            value: Json = cast("Json", block) if isinstance(block, dict) else {}
            if value.get("type") == "text" and isinstance(text := value.get("text"), str):
                is_interrupted |= bool(INTERRUPTED.search(text))
                blocks += _pieces(INTERRUPTED.sub("", text), f"call {position}.{len(blocks)}")
            else:
                blocks.append(value)
        spoken = [Fields(self._spoken(block)) for block in blocks]
        self._names |= called_tools(spoken)
        model = message.object("modelInfo").text("modelId") or self._shown.model(at)
        usage = _usage(self._shown.request(position), message.object("metrics"))
        for role, parts in turns_of(Role.ASSISTANT, spoken, self._names):
            reply = Message(role=role, parts=parts, at=at, model=model, usage=usage)
            yield replace(reply, is_interrupted=is_interrupted) if role is Role.ASSISTANT else reply
            usage = None

    def _spoken(self, block: Json) -> Json:
        """Return a block; a call by which the model speaks to the user is text."""
        name, arguments = block.get("name"), block.get("input")
        if block.get("type") != "tool_use" or not isinstance(name, str) or not isinstance(arguments, dict):
            return block
        words = cast("Json", arguments).get(SPEAKING.get(name, ""))
        is_text = isinstance(words, str)
        self._waiting.append(("" if is_text else str(block.get("id")), name))
        return {"type": "text", "text": words} if is_text else block

    def _answer(self, content: Sequence[object], at: float) -> Iterator[Message]:
        """Yield the results of calls, what the user wrote, and what Cline added."""
        found = self._results([cast("Json", each) for each in content if isinstance(each, dict)])
        spoken = [each for block in found for each in _said(block)]
        for speaker, group in groupby(spoken, lambda each: each[0]):
            for role, parts in turns_of(Role.USER, [Fields(block) for _, block in group], self._names):
                yield Message(role=role, parts=parts, at=at, speaker=speaker if role is Role.USER else "")

    def _results(self, content: list[Json]) -> Iterator[Json]:
        """Yield the blocks, with results that are text as results."""
        blocks = iter([*content, {}])
        block = next(blocks)
        while block:
            header = HEADER.match(text) if isinstance(text := block.get("text"), str) else None
            call = self._call_of(block, header)
            following = next(blocks)
            if call is None:
                yield block
            elif header is None:
                yield _result(call, _without_header(block.get("content")))
            else:
                inner: list[Json] = [{"type": "text", "text": cast("str", text)[header.end() :]}]
                if not inner[0]["text"].strip() and following.get("type") == "text":
                    inner, following = [following], next(blocks)
                while following.get("type") == "image":
                    inner, following = [*inner, following], next(blocks)
                yield from [_result(call, inner)] if call else inner
            block = following

    def _call_of(self, block: Json, header: re.Match[str] | None) -> str | None:
        """Return the id of the call that a block answers; "" for one that is text, None for another block."""
        if block.get("type") == "tool_result":
            name = str(block.get("tool_use_id"))
            return name if name in self._names else ""
        if header is None:
            return None
        called = [each for each in self._waiting if each[1] == header[1]]
        if called:
            self._waiting.remove(called[0])
        return called[0][0] if called else ""


def _result(call: str, content: list[Json]) -> Json:
    texts = [text for each in content if isinstance(text := each.get("text"), str)]
    if not call:
        return {"type": "text", "text": "\n\n".join(texts)}
    is_error = bool(texts) and texts[0].lstrip().startswith(FAILURES)
    return {"type": "tool_result", "tool_use_id": call, "content": content, "is_error": is_error}


def _without_header(content: object) -> list[Json]:
    """Return the elements of a result, the first one without "[read_file for 'a.txt'] Result:"."""
    first, *others = _elements(content) or [{}]
    text = first.get("text")
    header = HEADER.match(text) if isinstance(text, str) else None
    return [first | {"text": first["text"][header.end() :]} if header else first, *others]


def _elements(content: object) -> list[Json]:
    elements = cast("list[object]", content) if isinstance(content, list) else [{"type": "text", "text": content}]
    return [cast("Json", each) for each in elements if isinstance(each, dict)]


def _rest_of(block: object) -> Json:
    """Return the fields of a block that are not read; all of them if tags or headers were taken out of its texts."""
    value: Json = cast("Json", block) if isinstance(block, dict) else {}
    texts = [each.get("text") for each in (value, *_elements(value.get("content")))]
    taken = (OPENING, HEADER, WORDS, FILE, DETAILS, INTERRUPTED)
    is_changed = any(each.search(text) for text in texts if isinstance(text, str) for each in taken)
    is_changed = is_changed or value.get("name") in SPEAKING
    return value if is_changed else {name: each for name, each in value.items() if name not in READ}


def _said(block: Json) -> Iterator[tuple[str, Json]]:
    """Yield who says something, "" for the user, with the blocks of it."""
    text = block.get("text")
    if block.get("type") != "text" or not isinstance(text, str):
        yield "", block
        return
    text = DETAILS.sub("", text)
    files = [(found[2], found[3]) for found in FILE.finditer(text)]
    text = FILE.sub("", text)
    words = [found[2].strip() for found in WORDS.finditer(text)]
    others = WORDS.sub("", text).strip()
    yield from (("", {"type": "text", "text": each}) for each in words if each)
    if others and not words:
        yield PROGRAM, {"type": "text", "text": others}
    for path, content in files:
        source = {"type": "text", "data": content.strip("\n")}
        yield "", {"type": "document", "title": path.rpartition("/")[2] or path, "source": source}


def _pieces(text: str, call: str) -> Iterator[Json]:
    """Yield the thoughts, calls and other text in a text."""
    written = start = 0
    while found := OPENING.search(text, start):
        end = _end_of(found[1], text, found.end())
        start = found.end() if end < 0 else end
        if end < 0:
            continue
        yield from _plain(text[written : found.start()])
        body = text[found.end() : end - len(found[1]) - 3]
        written = end
        if found[1] == "thinking":
            yield {"type": "thinking", "thinking": body.strip()}
        else:
            yield {"type": "tool_use", "id": f"{call}.{found.start()}", "name": found[1], "input": _parameters(body)}
    yield from _plain(text[written:])


def _end_of(name: str, text: str, start: int) -> int:
    """Return the end of a tag: after a parameter with tags of its own, if there is one; -1 if it is not closed."""
    closing = re.compile(rf"</(?:{'|'.join(LONG)})>\s*(?:<\w+>[^<]*</\w+>\s*)*</{name}>")
    if re.match(rf"(?:\s*<\w+>[^<]*</\w+>)*\s*<(?:{'|'.join(LONG)})>", text[start:]):
        found = closing.search(text, start)
        return found.end() if found else -1
    end = text.find(f"</{name}>", start)
    return end + len(name) + 3 if end >= 0 else -1


def _plain(text: str) -> Iterator[Json]:
    if text.strip():
        yield {"type": "text", "text": text.strip()}


def _parameters(body: str) -> dict[str, str]:
    found: dict[str, str] = {}
    place = 0
    while opening := PARAMETER.search(body, place):
        closing = f"</{opening[1]}>"
        end = body.rfind(closing, opening.end()) if opening[1] in LONG else body.find(closing, opening.end())
        if end < 0:
            place = opening.end()
            continue
        value = body[opening.end() : end]
        found[opening[1]] = value.removeprefix("\n").removesuffix("\n") if opening[1] in LONG else value.strip()
        place = end + len(closing)
    return found


def _usage(request: Fields, metrics: Fields) -> Usage | None:
    """Return the measured tokens. The input may be with or without the tokens of the cache."""
    tokens = metrics.object("tokens")
    prompt = request.count("tokensIn") or tokens.count("prompt")
    reply = request.count("tokensOut") or tokens.count("completion")
    written = request.count("cacheWrites")
    read = request.count("cacheReads") or max(0, tokens.count("cached") - written)
    dollars = request.number("cost") or metrics.number("cost")
    whole = prompt if prompt >= read + written else prompt + read + written
    return usage_of(whole, reply, read, written, dollars=dollars)
