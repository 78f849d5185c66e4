"""A conversation as one HTML file that loads nothing, in the light or dark that its reader prefers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from functools import cache
from html import escape

from desktop_app.conversation.message import Attachment, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult

from .export_markdown import ending_of, speaker_of

MAX_OPEN_LINES = 12
"""Of a tool's output; a longer one is folded."""
DATA_IMAGE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+")
LINK = re.compile(r"(?:https?://|mailto:)[^/\\]", re.IGNORECASE)
"""What a link may lead to, as in the window: another scheme may start a program, or tell a server who the user is."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
STYLE = """
:root { color-scheme: light dark; --paper: #fbf9f5; --ink: #221e19; --soft: #6b6257; --line: #e4ddd1;
  --code: #f5f1ea; --bubble: #eef2ee; --accent: #2f5d8a; }
@media (prefers-color-scheme: dark) { :root { --paper: #1a1815; --ink: #ede8df; --soft: #b3a999; --line: #3a352e;
  --code: #23201b; --bubble: #242b28; --accent: #8db6dd; } }
body { background: var(--paper); color: var(--ink); font: 16px/1.55 Inter, system-ui, sans-serif; margin: 0; }
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.5rem; }
article { margin: 1.75rem 0; overflow-wrap: anywhere; }
article > header { color: var(--soft); font-size: .8rem; display: flex; gap: .6rem; margin-bottom: .3rem; }
article > header b { color: var(--ink); }
article > header time { margin-left: auto; }
.user > div { background: var(--bubble); border-radius: 10px; padding: .1rem 1rem; }
.archived > div { opacity: .75; }
.tag { border: 1px solid var(--line); border-radius: 4px; padding: 0 .35rem; }
pre, code { font: .875em/1.5 "JetBrains Mono", ui-monospace, monospace; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 8px; padding: .7rem 1rem;
  overflow: auto; }
table { border-collapse: collapse; display: block; overflow: auto; }
th, td { border: 1px solid var(--line); padding: .3rem .7rem; }
blockquote { border-left: 3px solid var(--line); margin-left: 0; padding-left: 1rem; color: var(--soft); }
details { border: 1px solid var(--line); border-radius: 8px; padding: .4rem .9rem; margin: .6rem 0; }
summary { cursor: pointer; color: var(--soft); }
img { max-width: 100%; }
a { color: var(--accent); }
"""


def html_of(title: str, messages: Iterable[Message], archived: Collection[str] = (), project: str = "") -> str:
    """Return one page. archived: ids of messages that the model does not see any more, which are marked."""
    said = "\n".join(_article_of(message, message.id in archived) for message in messages)
    named = f"<p>Project: {escape(project)}</p>\n" if project else ""
    return f"""<!doctype html>
<html lang="und">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body><main>
<h1>{escape(title)}</h1>
{named}{said}
</main></body>
</html>
"""


def _article_of(message: Message, is_archived: bool) -> str:
    tags = [name for name, holds in (("archived", is_archived), ("interrupted", message.is_interrupted)) if holds]
    marks = "".join(f'<span class="tag">{tag}</span>' for tag in tags)
    at = datetime.fromtimestamp(message.at).isoformat(" ", "minutes") if message.at else ""
    model = f"<span>{escape(message.model.rsplit('/', 1)[-1])}</span>" if message.model else ""
    head = f"<header><b>{escape(speaker_of(message))}</b>{model}{marks}<time>{at}</time></header>"
    classes = " ".join((message.role.value, *tags))
    body = "\n".join(map(_part_writer(message.role), message.parts))
    return f'<article class="{classes}">{head}<div dir="auto">\n{body}\n</div></article>'


def _part_writer(role: Role) -> Callable[[Part], str]:
    def write(part: Part) -> str:
        match part:
            case Text(text):
                return _markdown(text) if role is not Role.SYSTEM else _code(text)
            case Reasoning(text):
                return _folded("Reasoning", _markdown(text))
            case ToolCall():
                return _folded(f"Calls {part.name}", _code(part.arguments))
            case ToolResult():
                is_short = part.text.count("\n") < MAX_OPEN_LINES
                return _folded(f"{part.name} {ending_of(part)}", _code(part.text), is_open=is_short)
            case Attachment():
                return _attachment(part)

    return write


def _attachment(part: Attachment) -> str:
    if not part.is_image:
        return _folded(part.name, _code(part.content))
    if DATA_IMAGE.fullmatch(part.content):
        return f'<img src="{part.content}" alt="{escape(part.name)}">'
    return f"<p>[{escape(part.name)}]</p>"


def _folded(title: str, body: str, is_open: bool = False) -> str:
    return f"<details{' open' if is_open else ''}><summary>{escape(title)}</summary>{body}</details>"


def _code(text: str) -> str:
    return f"<pre><code>{escape(text)}</code></pre>"


def _markdown(text: str) -> str:
    return _renderer()(text)


@cache
def _renderer() -> Callable[[str], str]:
    """Return what renders Markdown. Markup in it is shown as it was written, and a picture is a link to it."""
    from markdown_it import MarkdownIt  # not needed before there is an export: the engine starts sooner

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.disable("image")
    parser.validateLink = lambda url: LINK.match(url) is not None
    return parser.render
