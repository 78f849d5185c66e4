"""Export conversations as Markdown or HTML for people, or as JSON Lines for another import.

The HTML is self-contained, loads nothing, and follows the reader's preference for light or dark.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from desktop_app.conversation.events import Failure
from desktop_app.conversation.markdown_html import LINK, Drawing, Graphic, code_html, html_of_markdown
from desktop_app.conversation.message import Attachment, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.openai_chat import chat_of
from desktop_app.conversation.transcript import replace_surrogates_in_text
from desktop_app.conversation.words import in_fence, translatable

from .export_content import (
    ExportContent,
    ExportedPart,
    call_arguments,
    call_words,
    content_of,
    ending_of,
    exported_speaker,
    graphics_of,
    local_time,
)
from .ports import WorldError
from .session import Session
from .tasks import CheckPoint, run_while_wanted, shielded

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


DATA_IMAGE = re.compile(r"data:image/(?:png|jpe?g|gif|webp|avif|bmp);base64,[A-Za-z0-9+/=]+")
"""Images that may be embedded: of these types, none can contain a script."""
CLOSINGS = ("\n-->", "\n</pre>", "\n</script>", "\n</style>", "\n</textarea>", "\n?>", "\n]]>", "\n>")
"""Ends of the HTML blocks of CommonMark that a blank line does not end."""
_MARKUP = re.compile(r"[\\`*\[\]<~$]|^[#>]|#(?=#*$)|(?<![^\W_])_|_(?![^\W_])|&(?=[#\w])|^[-+=](?=\s|$)")


def markdown_of(content: ExportContent, check: CheckPoint = lambda: None) -> str:
    """Return Markdown for people: a heading for each message, tool calls and results in fences.

    Images follow at the end, as reference definitions, so that their data does not interrupt the text.
    """
    pictures: dict[str, str] = {}
    head = [f"# {as_plain(content.title)}"]
    if content.project:
        head.append(f"Project: {as_plain(content.project)}")
    head += [f"*{note}*" for note in content.notes]
    sections = [_section_of(content, message, pictures) for message in content.messages if check() is None]
    ends = "\n".join(f"[{label}]: {address}" for address, label in pictures.items())
    return "\n\n".join(filter(None, [*head, *sections, ends])) + "\n"


def as_plain(text: str) -> str:
    """Escape a text for Markdown, on one line."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


def _section_of(content: ExportContent, message: Message, pictures: dict[str, str]) -> str:
    at = local_time(message.at)
    details = [f"{at:%Y-%m-%d %H:%M}"] if at else []
    line = " · ".join(as_plain(word) for word in (*details, *content.details_of(message)))
    parts = filter(None, (_part(part, pictures) for part in message.parts))
    return "\n\n".join([f"## {as_plain(exported_speaker(message))}", *([f"*{line}*"] if line else []), *parts])


def _part(part: Part, pictures: dict[str, str]) -> str:
    match part:
        case Text(text):
            return text + closing_of_blocks(text)
        case Reasoning(text):
            quoted = text.replace("\n", "\n> ")
            return f"> {quoted}"
        case ToolCall():
            return _fence(call_arguments(part), f"Calls `{as_code(part.name)}`")
        case ToolResult():
            return _fence(part.text, f"`{as_code(part.name)}` {ending_of(part)}")
        case Attachment():
            return _image(part, pictures) if part.is_image else _fence(part.content, as_plain(part.name))


def as_code(name: str) -> str:
    """Return a name that can be put between backticks."""
    return " ".join(name.replace("`", "'").split())


def _image(image: Attachment, pictures: dict[str, str]) -> str:
    """Return an embedded image, a link to one on the web, or only its name."""
    name = as_plain(image.name) or "picture"
    if DATA_IMAGE.fullmatch(image.content):
        label = pictures.setdefault(image.content, f"attached picture {len(pictures) + 1}")
        return f"![{name}][{label}]"
    is_link = LINK.match(image.content) and not re.search(r"[\s<>]", image.content)
    return f"[{name}](<{image.content}>)" if is_link else f"\\[{name}\\]"


def _fence(text: str, heading: str) -> str:
    return f"{heading}:\n\n{in_fence(text)}"


def closing_of_blocks(text: str) -> str:
    """Return the end of a fence or an HTML block that the text leaves open; "" if it leaves none open."""
    if _is_closed(text):
        return ""
    blocks = _parser_with_html().parse(text)
    fences = [f"\n{token.markup}" for token in blocks[-1:] if token.type == "fence"]
    return next((closing for closing in (*fences, *CLOSINGS) if _is_closed(text + closing)), "")


def _is_closed(text: str) -> bool:
    """Return whether a heading after the text would be parsed as one."""
    if not ("```" in text or "~~~" in text or "<" in text):
        return True
    blocks = _parser_with_html().parse(f"{text}\n\n# end")
    return len(blocks) >= 3 and blocks[-3].type == "heading_open"


@cache
def _parser_with_html() -> MarkdownIt:
    from markdown_it import MarkdownIt  # imported at the first export, so that the engine starts sooner

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.disable(["inline", "text_join"], True)
    return parser


MAX_OPEN_LINES = 12
"""Lines of a tool's output; a longer one is folded."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
LIGHT = """--paper: #fbf9f5; --ink: #221e19; --soft: #6b6257; --line: #e4ddd1; --code: #f5f1ea; --bubble: #eef2ee;
  --accent: #2f5d8a;"""
DARK = """--paper: #1a1815; --ink: #ede8df; --soft: #b3a999; --line: #3a352e; --code: #23201b; --bubble: #242b28;
  --accent: #8db6dd;"""
STYLE = f"""
:root {{ color-scheme: light dark; {LIGHT} }}
@media screen and (prefers-color-scheme: dark) {{
  :root {{ {DARK} }}
  .formula {{ filter: invert(1) brightness(.93); }}
  .diagram img {{ filter: brightness(.88); }}
}}
body {{ background: var(--paper); color: var(--ink); font: 16px/1.55 Inter, system-ui, sans-serif; margin: 0; }}
main {{ max-width: 46rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; overflow-wrap: break-word; }}
h1 {{ font-size: 1.5rem; line-height: 1.3; }}
article h1 {{ font-size: 1.3rem; }}
article h2 {{ font-size: 1.15rem; }}
article :is(h3, h4, h5, h6) {{ font-size: 1rem; }}
main > p {{ color: var(--soft); font-size: .875rem; margin: .3rem 0; }}
article {{ margin: 1.75rem 0; }}
article.tool {{ margin-top: -1rem; }}
article > header {{ color: var(--soft); font-size: .8rem; display: flex; flex-wrap: wrap; gap: .1rem .6rem;
  margin-bottom: .3rem; }}
article > header b {{ color: var(--ink); }}
article > header time {{ margin-inline-start: auto; white-space: nowrap; }}
article :is(p, li, h1, h2, h3, h4, h5, h6, th, td, summary) {{ unicode-bidi: plaintext; }}
.user > div {{ background: var(--bubble); border-radius: 10px; padding: .1rem 1rem; }}
.archived > div {{ opacity: .75; }}
.tag {{ border: 1px solid var(--line); border-radius: 4px; padding: 0 .35rem; }}
pre, code {{ font: .875em/1.5 "JetBrains Mono", ui-monospace, monospace; unicode-bidi: isolate;
  font-variant-ligatures: none; }}
pre {{ background: var(--code); border: 1px solid var(--line); border-radius: 8px; padding: .7rem 1rem; overflow: auto;
  text-align: left; tab-size: 4; overflow-wrap: normal; }}
pre code {{ font-size: inherit; }}
.table {{ overflow: auto; margin: 1em 0; overflow-wrap: normal; }}
table {{ border-collapse: collapse; }}
th, td {{ border: 1px solid var(--line); padding: .3rem .7rem; vertical-align: top; text-align: start;
  white-space: nowrap; }}
:is(.words, .long) {{ white-space: normal; }}
.long {{ min-width: 12rem; }}
.task {{ list-style: none; margin-inline-start: -1.3em; }}
blockquote {{ border-inline-start: 3px solid var(--line); margin-inline: 0; padding-inline-start: 1rem;
  color: var(--soft); }}
details {{ border: 1px solid var(--line); border-radius: 8px; padding: .4rem .9rem; margin: .6rem 0; }}
summary {{ cursor: pointer; color: var(--soft); overflow-wrap: anywhere; }}
img {{ max-width: 100%; }}
.display {{ display: block; margin: .8em auto; }}
.source {{ position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: pre; }}
article > div {{ position: relative; }}
.diagram img {{ display: block; margin: 1em auto; background: #fff; padding: .8rem; border-radius: 8px;
  box-sizing: border-box; }}
a {{ color: var(--accent); }}
@page {{ margin: 18mm 16mm; }}
@media print {{
  :root {{ --paper: #fff; }}
  body {{ font-size: 10.5pt; }}
  main {{ max-width: none; padding: 0; }}
  .user > div, pre {{ print-color-adjust: exact; -webkit-print-color-adjust: exact; }}
  pre {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
  .table {{ overflow: visible; font-size: .85em; }}
  .long {{ min-width: 0; }}
  article > header, h1, h2, h3, h4, h5, h6, summary {{ break-after: avoid; }}
  tr, img {{ break-inside: avoid; }}
}}
"""


def html_of(content: ExportContent, check: CheckPoint = lambda: None) -> str:
    """Return an HTML page."""
    calls = content.calls_of_results()
    articles = "\n".join(_article_of(content, message, calls) for message in content.messages if check() is None)
    return f"""<!doctype html>
<html lang="und">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(content.title)}</title>
<style>{STYLE}</style>
</head>
<body><main>
<h1 dir="auto">{escape(content.title)}</h1>
{"".join(_lines_of_head(content))}{articles}
</main></body>
</html>
"""


def _lines_of_head(content: ExportContent) -> Iterator[str]:
    if content.project:
        yield f"<p>Project: {escape(content.project)}</p>\n"
    for note in content.notes:
        yield f"<p>{escape(note)}</p>\n"


def _article_of(content: ExportContent, message: Message, calls: Mapping[str, ToolCall]) -> str:
    model, *marks = content.details_of(message) if message.model else ("", *content.details_of(message))
    tags = "".join(f'<span class="tag">{escape(mark)}</span>' for mark in marks)
    named = f"<span>{escape(model)}</span>" if model else ""
    at = local_time(message.at)
    time = f'<time datetime="{at.isoformat(timespec="seconds")}">{at:%Y-%m-%d %H:%M}</time>' if at else ""
    head = f"<header><b>{escape(exported_speaker(message))}</b>{named}{tags}{time}</header>"
    classes = " ".join((message.role.value, *(["archived"] if "archived" in marks else [])))
    body = "\n".join(map(_part_writer(content, message, calls.get(message.id)), message.parts))
    return f'<article class="{classes}">{head}<div dir="auto">\n{body}\n</div></article>'


def _part_writer(content: ExportContent, message: Message, call: ToolCall | None) -> Callable[[Part], str]:
    """Return a function that renders the parts of a message. call: the call that a tool message answers."""

    def write(part: Part) -> str:
        match part:
            case Text(text) if message.role is Role.SYSTEM:
                return _output("System prompt", text)
            case Text(text):
                return html_of_markdown(text, content.drawings, has_breaks=message.role is Role.USER)
            case Reasoning(text):
                return _folded("Reasoning", html_of_markdown(text, content.drawings))
            case ToolCall():
                return _folded(call_words(part), code_html(call_arguments(part)))
            case ToolResult():
                named = call_words(call) if call is not None else part.name
                return _output(f"{named} · {ending_of(part)}", part.text)
            case Attachment():
                return _attachment(part)

    return write


def _attachment(part: Attachment) -> str:
    name = escape(part.name)
    if not part.is_image:
        return _folded(part.name, code_html(part.content))
    if DATA_IMAGE.fullmatch(part.content):
        return f'<p><img src="{part.content}" alt="{name}" title="{name}"></p>'
    if LINK.match(part.content):
        return f'<p>[<a href="{escape(part.content)}">{name or escape(part.content)}</a>]</p>'
    return f"<p>[{name}]</p>"


def _output(title: str, text: str) -> str:
    return _folded(title, code_html(text), is_open=text.count("\n") < MAX_OPEN_LINES)


def _folded(title: str, body: str, is_open: bool = False) -> str:
    return f"<details{' open' if is_open else ''}><summary>{escape(title)}</summary>{body}</details>"


DrawGraphics = Callable[[Sequence[Graphic]], Awaitable[Sequence[Drawing]]]
DRAWN_TOGETHER = 40
"""Graphics per request: as many as the drawing process finishes within its time limit."""
KEPT = translatable("The conversation was not changed.")


async def export_conversation(
    session: Session, path: Path, is_replacing: bool, format: str, draw: DrawGraphics, part: ExportedPart
) -> int:
    """Write a conversation to a file, and return its size in bytes.

    draw: see `draw_pictures`. Raises WorldError. Neither an error nor a cancel leaves an incomplete file.
    """
    title, view, name = session.info.title, session.view, session.project.name
    content = await asyncio.to_thread(content_of, title, view, part, name)
    if format in DRAWN:
        content = await draw_pictures(content, draw)
    text = await run_while_wanted(lambda check: render_export(content, format, check))
    return await shielded(asyncio.to_thread(write_export, path, text, is_replacing))


async def draw_pictures(content: ExportContent, draw: DrawGraphics) -> ExportContent:
    """Return the content with its formulas and diagrams drawn. draw: returns a drawing of each, in order."""
    graphics = await run_while_wanted(lambda check: graphics_of(content, check))
    drawings: dict[Graphic, Drawing] = {}
    for start in range(0, len(graphics), DRAWN_TOGETHER):
        together = graphics[start : start + DRAWN_TOGETHER]
        drawings |= zip(together, await draw(together), strict=True)
    return replace(content, drawings=drawings)


def render_export(content: ExportContent, format: str, check: CheckPoint = lambda: None) -> str:
    """Return the text of an export.

    format: "markdown", "html", or "json", which is a line for each OpenAI chat message and can be imported again.
    check: called before each message.
    """
    return replace_surrogates_in_text(FORMATS[format](content, check))


def write_export(path: Path, text: str, is_replacing: bool = False) -> int:
    """Write a file atomically, and return its size in bytes.

    Raises WorldError, with a failure of the kind "exists" if the file exists and `is_replacing` is false.
    """
    content = text.encode(errors="replace")
    try:
        _write(path, content, is_replacing)
    except FileExistsError as error:
        title = translatable("A file {name} already exists").format(name=path.name)
        raise WorldError(
            Failure(
                "exists",
                title,
                str(path),
                translatable("It was not changed."),
                translatable("Replace it, or choose another."),
            )
        ) from error
    except (OSError, ValueError) as error:  # ValueError: not a valid file name
        detail, advice = getattr(error, "strerror", None) or str(error), translatable("Choose another place.")
        raise WorldError(
            Failure("disk", translatable("{path} could not be written").format(path=path), detail, KEPT, advice)
        ) from error
    return len(content)


def _write(path: Path, content: bytes, is_replacing: bool) -> None:
    is_new = not path.is_dir() and not (is_replacing and path.exists())
    if is_new:
        path.open("xb").close()  # reserves the name: a file that another process creates is not replaced
    new = path.with_name(f"{path.name}.part")
    try:
        new.unlink(missing_ok=True)
        with new.open("xb") as file:  # "x": opens no file and follows no link that another user has put there
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # after a power cut there is the old file or the new one, never an empty one
        new.replace(path)
    except BaseException:
        if is_new:
            path.unlink(missing_ok=True)
        raise
    finally:
        new.unlink(missing_ok=True)


def lines_of(content: ExportContent, check: CheckPoint) -> str:
    """Return JSON Lines: one OpenAI chat message a line."""
    lines = (line for line in chat_of(content.messages) if check() is None)
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


FORMATS: dict[str, Callable[[ExportContent, CheckPoint], str]] = {
    "markdown": markdown_of,
    "html": html_of,
    "json": lines_of,
}
DRAWN = frozenset({"html"})
"""Formats in which formulas and diagrams are drawn."""
