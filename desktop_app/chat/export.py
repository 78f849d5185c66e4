"""Conversations become files: Markdown or HTML for people, JSON Lines to be imported again."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from desktop_app.conversation.events import Failure
from desktop_app.conversation.graphics import Drawing, Graphic
from desktop_app.conversation.openai_chat import chat_of
from desktop_app.conversation.surrogates import replace_surrogates_in_text
from desktop_app.conversation.words import translatable

from .export_content import ExportContent, ExportedPart, content_of, graphics_of
from .export_html import html_of
from .export_markdown import markdown_of
from .ports import WorldError
from .session import Session
from .tasks import CheckPoint, run_while_wanted, shielded

DrawGraphics = Callable[[Sequence[Graphic]], Awaitable[Sequence[Drawing]]]
DRAWN_TOGETHER = 40
"""Graphics: as many as a process draws within its time."""
KEPT = translatable("The conversation is as it was.")


async def export_conversation(
    session: Session, path: Path, is_replacing: bool, format: str, draw: DrawGraphics, part: ExportedPart
) -> int:
    """Write a conversation to a file, and return its size in bytes.

    draw: see `draw_pictures`. Cancelled before it is written, nothing is. Raises WorldError; then there is no half a
    file.
    """
    title, view, name = session.info.title, session.view, session.project.name
    content = await asyncio.to_thread(content_of, title, view, part, name)
    if format in DRAWN:
        content = await draw_pictures(content, draw)
    text = await run_while_wanted(lambda check: render_export(content, format, check))
    return await shielded(asyncio.to_thread(write_export, path, text, is_replacing))


async def draw_pictures(content: ExportContent, draw: DrawGraphics) -> ExportContent:
    """Return the content with drawings of its formulas and diagrams. draw: returns a drawing of each."""
    graphics = await run_while_wanted(lambda check: graphics_of(content, check))
    drawings: dict[Graphic, Drawing] = {}
    for start in range(0, len(graphics), DRAWN_TOGETHER):
        together = graphics[start : start + DRAWN_TOGETHER]
        drawings |= zip(together, await draw(together), strict=True)
    return replace(content, drawings=drawings)


def render_export(content: ExportContent, format: str, check: CheckPoint = lambda: None) -> str:
    """Return a conversation as text.

    format: "markdown", "html", or "json": lines of OpenAI chat messages, which can be imported again. check: called
    before each message.
    """
    return replace_surrogates_in_text(FORMATS[format](content, check))


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


def lines_of(content: ExportContent, check: CheckPoint) -> str:
    """Return one OpenAI chat message a line."""
    lines = (line for line in chat_of(content.messages) if check() is None)
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


FORMATS: dict[str, Callable[[ExportContent, CheckPoint], str]] = {
    "markdown": markdown_of,
    "html": html_of,
    "json": lines_of,
}
DRAWN = frozenset({"html"})
"""Formats in which formulas and diagrams are drawn."""
