"""Conversations become files: Markdown or HTML for people, JSON Lines to be imported again."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from desktop_app.context.view.view import View, assemble, inseparable_ids
from desktop_app.conversation.events import Failure
from desktop_app.conversation.listing import title_in_english
from desktop_app.conversation.message import Message
from desktop_app.conversation.openai_chat import chat_of
from desktop_app.conversation.surrogates import replace_surrogates_in_text
from desktop_app.conversation.words import translatable

from .export_html import html_of
from .export_markdown import markdown_of
from .ports import WorldError
from .session import Session
from .tasks import CheckPoint, run_while_wanted, shielded

KEPT = translatable("The conversation is as it was.")


async def export_conversation(
    session: Session, path: Path, is_replacing: bool, format: str, scope: str, first: str = "", last: str = ""
) -> int:
    """Write a conversation to a file, and return its size in bytes; parameters as of `render_export`.

    Cancelled before it is written, nothing is. Raises WorldError; then there is no half a file.
    """
    title, view, name = session.info.title, session.view, session.project.name
    text = await run_while_wanted(lambda check: render_export(title, view, format, scope, first, last, check, name))
    return await shielded(asyncio.to_thread(write_export, path, text, is_replacing))


def render_export(
    title: str,
    view: View,
    format: str,
    scope: str,
    first: str = "",
    last: str = "",
    check: CheckPoint = lambda: None,
    project: str = "",
) -> str:
    """Return a conversation as text.

    format: "markdown", "html", or "json": lines of OpenAI chat messages, which can be imported again. scope: "record",
    all that was said, or "view", what the model sees now. first, last: ids of messages between which everything is
    taken, these included, of all that was said in this branch; "" for no such end. check: called before each message.
    project: the name of its project, which is told to people; "" for none.
    """
    if first or last:
        messages = _between([entry for entry in view.path if isinstance(entry, Message)], first, last)
    elif scope == "view":
        messages = assemble(view)
    else:
        messages = [entry for entry in view.entries if isinstance(entry, Message)]
    checked = (message for message in messages if check() is None)
    return replace_surrogates_in_text(FORMATS[format](title_in_english(title), checked, view.statuses, project))


def _between(messages: list[Message], first: str, last: str) -> list[Message]:
    """Return the messages from one id to another. Calls and their results stay together."""
    ids = [message.id for message in messages]
    wanted = inseparable_ids(messages, {one for one in (first, last) if one in ids})
    indexes = [ids.index(one) for one in wanted]
    begin = min(indexes) if first and indexes else 0
    end = max(indexes) + 1 if last and indexes else len(messages)
    return messages[begin:end]


def write_export(path: Path, text: str, is_replacing: bool = False) -> int:
    """Write a file, and return its size in bytes. Raises WorldError; then there is no half a file.

    A file that is there already stays, with a failure of the kind "exists", unless `is_replacing`.
    """
    content = text.encode(errors="replace")
    try:
        _write(path, content, is_replacing)
    except FileExistsError as error:
        title = translatable("There is a file {name} already").format(name=path.name)
        raise WorldError(
            Failure(
                "exists",
                title,
                str(path),
                translatable("It is as it was."),
                translatable("Replace it, or choose another."),
            )
        ) from error
    except (OSError, ValueError) as error:  # ValueError: it is no name that a file can have
        detail, advice = getattr(error, "strerror", None) or str(error), translatable("Choose another place.")
        raise WorldError(
            Failure("disk", translatable("{path} could not be written").format(path=path), detail, KEPT, advice)
        ) from error
    return len(content)


def _write(path: Path, content: bytes, is_replacing: bool) -> None:
    is_new = not path.is_dir() and not (is_replacing and path.exists())
    if is_new:
        path.open("xb").close()  # the name is taken from here on: nobody else's file is replaced
    new = path.with_name(f"{path.name}.part")
    try:
        new.unlink(missing_ok=True)
        with new.open("xb") as file:  # where others may write, it follows no link of theirs, and is no file of theirs
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # a power cut leaves the old file or the new one, and none that is empty
        new.replace(path)
    except BaseException:
        if is_new:
            path.unlink(missing_ok=True)
        raise
    finally:
        new.unlink(missing_ok=True)


def lines_of(title: str, messages: Iterable[Message], archived: Collection[str] = (), project: str = "") -> str:
    """Return one OpenAI chat message a line."""
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in chat_of(list(messages)))


FORMATS: dict[str, Callable[[str, Iterable[Message], Collection[str], str], str]] = {
    "markdown": markdown_of,
    "html": html_of,
    "json": lines_of,
}
"""The writers. Each gets the title, the messages, the ids of those that are not in the view, and the project's name."""
