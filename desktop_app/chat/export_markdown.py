"""A conversation as Markdown for people."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from desktop_app.conversation.markdown_html import LINK
from desktop_app.conversation.message import Attachment, Message, Part, Reasoning, Text, ToolCall, ToolResult
from desktop_app.conversation.words import in_fence

from .export_content import ExportContent, call_arguments, ending_of, exported_speaker, local_time
from .tasks import CheckPoint

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

DATA_IMAGE = re.compile(r"data:image/(?:png|jpe?g|gif|webp|avif|bmp);base64,[A-Za-z0-9+/=]+")
"""A picture that can be in the file itself, and cannot act."""
CLOSINGS = ("\n-->", "\n</pre>", "\n</script>", "\n</style>", "\n</textarea>", "\n?>", "\n]]>", "\n>")
"""What ends HTML that a blank line does not end."""
_MARKUP = re.compile(r"[\\`*\[\]<~$]|^[#>]|#(?=#*$)|(?<![^\W_])_|_(?![^\W_])|&(?=[#\w])|^[-+=](?=\s|$)")


def markdown_of(content: ExportContent, check: CheckPoint = lambda: None) -> str:
    """Return Markdown for people: a heading for each message, tool calls and results in fences.

    The pictures are at its end, so that the text can be read where they are not shown.
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
    """Return Markdown that shows a text of one line as it is."""
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
    """Return a name that can be code in a line."""
    return " ".join(name.replace("`", "'").split())


def _image(image: Attachment, pictures: dict[str, str]) -> str:
    """Return a picture that is in the file, a link to one that is elsewhere, or its name alone."""
    name = as_plain(image.name) or "picture"
    if DATA_IMAGE.fullmatch(image.content):
        label = pictures.setdefault(image.content, f"attached picture {len(pictures) + 1}")
        return f"![{name}][{label}]"
    is_link = LINK.match(image.content) and not re.search(r"[\s<>]", image.content)
    return f"[{name}](<{image.content}>)" if is_link else f"\\[{name}\\]"


def _fence(text: str, heading: str) -> str:
    return f"{heading}:\n\n{in_fence(text)}"


def closing_of_blocks(text: str) -> str:
    """Return what Markdown lacks at its end so that nothing behind it is taken into its last block; "" mostly."""
    if _is_closed(text):
        return ""
    blocks = _parser_with_html().parse(text)
    fences = [f"\n{token.markup}" for token in blocks[-1:] if token.type == "fence"]
    return next((closing for closing in (*fences, *CLOSINGS) if _is_closed(text + closing)), "")


def _is_closed(text: str) -> bool:
    """Return whether a heading behind the text is one."""
    if not ("```" in text or "~~~" in text or "<" in text):
        return True
    blocks = _parser_with_html().parse(f"{text}\n\n# end")
    return len(blocks) >= 3 and blocks[-3].type == "heading_open"


@cache
def _parser_with_html() -> MarkdownIt:
    from markdown_it import MarkdownIt  # not needed before there is an export: the engine starts sooner

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.disable(["inline", "text_join"], True)
    return parser
