"""Separate the thoughts that a server leaves in the text of a reply, between tags, from the reply itself. Pure.

Models write thoughts as text; servers that know a model's tags move them to a field of their own, others do not. Chat
templates that end a prompt with the opening tag leave only the closing one in the reply, so that text which was already
passed on turns out to have been thoughts.
"""

from __future__ import annotations

from desktop_app.chat.ports import Piece, ReasoningPiece, TextPiece, TextWasReasoning

TAGS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<seed:think>": "</seed:think>",
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|begin_of_thought|>": "<|end_of_thought|>",
}
"""Of Qwen, DeepSeek, GLM and MiniMax, Claude, Gemma, Seed, Magistral, Kimi and others."""
OPENING, ALONE = "<think>", "</think>"
"""The tags of which the closing one is recognized without the opening one."""
QUOTES = ("`", '"', "'", "“", "‘", "«", "„")


class TaggedThoughts:
    """Reads the text of one reply in pieces, which may be cut anywhere."""

    def __init__(self) -> None:
        self._held = ""  # may be the beginning of a tag
        self._close = ""  # the tag that ends the thoughts; "" outside of them
        self._has_begun = False  # whether the reply itself has
        self._had_thoughts = self._has_field = self._has_tag = self._has_text = False
        self._quotes = 0  # backquotes in the text: after an odd number it is code
        self._last = ""  # the last character of the text

    def push(self, text: str) -> list[Piece]:
        """Return the pieces of the next text, except for what may be the beginning of a tag."""
        if self._has_begun and not self._close:
            return self._in_text(text)
        pieces: list[Piece] = []
        text, self._held = self._held + text, ""
        while text:
            if self._close:
                text = self._in_thoughts(text, pieces)
            elif (rest := self._after_opening(text)) is None:
                return pieces
            elif self._close:
                text = rest
            else:
                self._has_begun = True
                return [*pieces, *self._in_text(rest)]
        return pieces

    def end(self) -> list[Piece]:
        """Return what was held back, since nothing follows."""
        held, self._held = self._held, ""
        if not held or (self._had_thoughts and not self._close and not held.strip()):
            return []
        return [ReasoningPiece(held) if self._close else TextPiece(held)]

    def note_field(self) -> None:
        """Note that thoughts have a field of their own, so that a closing tag within the text ends none."""
        self._has_field = True

    def _after_opening(self, text: str) -> str | None:
        """Return the text after an opening tag, or all of it if it begins with none; None if that is not known yet."""
        begun = text.lstrip()
        opening = next((tag for tag in TAGS if begun.startswith(tag)), None)
        if opening is not None:
            self._close, self._had_thoughts = TAGS[opening], True
            return begun.removeprefix(opening)
        if not begun or any(tag.startswith(begun) for tag in TAGS):
            self._held = text
            return None
        return begun if self._had_thoughts else text

    def _in_thoughts(self, text: str, pieces: list[Piece]) -> str:
        """Add the thoughts to the pieces, and return the text after their closing tag."""
        thoughts, close, rest = text.partition(self._close)
        if close:
            self._close = ""
        else:
            thoughts, self._held = _split_beginning(thoughts, self._close)
        pieces += [ReasoningPiece(thoughts)] if thoughts else []
        return rest

    def _in_text(self, text: str) -> list[Piece]:
        if self._had_thoughts or (not self._held and "<" not in text):
            self._has_text = self._has_text or bool(text.strip())
            self._note(text)
            return [TextPiece(text)] if text else []
        text, self._held = self._held + text, ""
        place = -1
        while (place := text.find(ALONE, place + 1)) >= 0:
            if self._ends_thoughts(text[:place]):
                return self._end_untagged(text[:place], text[place + len(ALONE) :])
        text, self._held = _split_beginning(text, ALONE, OPENING)
        self._has_tag = self._has_tag or OPENING in text
        self._has_text = self._has_text or bool(text.strip())
        self._note(text)
        return [TextPiece(text)] if text else []

    def _note(self, text: str) -> None:
        """Note what decides whether a tag after the text is quoted."""
        self._quotes += text.count("`")
        self._last = text[-1:] or self._last

    def _ends_thoughts(self, before: str) -> bool:
        """Return whether a closing tag after that text ends thoughts, and is not what the reply is about."""
        is_quoted = (self._quotes + before.count("`")) % 2 == 1 or (self._last + before).endswith(QUOTES)
        is_late = self._has_field and (self._has_text or bool(before.strip()))
        return not (is_quoted or is_late or self._has_tag or OPENING in before)

    def _end_untagged(self, before: str, rest: str) -> list[Piece]:
        """Return the pieces around a closing tag that ends thoughts without an opening tag."""
        self._had_thoughts, self._has_begun = True, False
        return [*([TextPiece(before)] if before else []), TextWasReasoning(), *self.push(rest)]


def _split_beginning(text: str, *tags: str) -> tuple[str, str]:
    """Return the text without an end that may be the beginning of one of the tags, and that end."""
    for length in range(min(max(map(len, tags)) - 1, len(text)), 0, -1):
        if any(tag.startswith(text[-length:]) for tag in tags):
            return text[:-length], text[-length:]
    return text, ""
