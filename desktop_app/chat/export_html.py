"""A conversation as one HTML file that loads nothing, in the light or dark that its reader prefers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from html import escape

from desktop_app.conversation.markdown_html import LINK, code_html, html_of_markdown
from desktop_app.conversation.message import Attachment, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult

from .export_content import ExportContent, call_arguments, call_words, ending_of, exported_speaker, local_time
from .export_markdown import DATA_IMAGE
from .tasks import CheckPoint

MAX_OPEN_LINES = 12
"""Of a tool's output; a longer one is folded."""
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
    """Return one page."""
    calls = content.calls_of_results()
    said = "\n".join(_article_of(content, message, calls) for message in content.messages if check() is None)
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
{"".join(_lines_of_head(content))}{said}
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
    """Return what writes the parts of a message. call: the one that it answers."""

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
