"""All text that a window shows: painted, in widgets and menus, as tooltips, and for the screen reader."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

import msgspec
from PySide6.QtCore import QAbstractItemModel, QLocale, Qt, QTranslator
from PySide6.QtGui import QAbstractTextDocumentLayout, QPainter, QTextLayout
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from desktop_app.conversation.events import Failure
from desktop_app.ui.widgets.text_label import TextLabel

ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.AccessibleDescriptionRole,
)
MAX_ROWS = 300
MARKED = re.compile(r"⟦[^⟦⟧]*⟧")
CUT_OFF = re.compile(r"⟦[^⟧]*$")
_KEY = r"(?:Ctrl|Shift|Alt|Enter|Return|Esc|Del|Menu|Home|Up|F\d+)"
KEYS = re.compile(rf"\b(?:(?:Ctrl|Shift|Alt)[+ ])*{_KEY}\b(?:\+(?:Left|Right|\S))?")
LETTERS = re.compile(r"[^\W\d_]{2}")
PUNCTUATION = " .…“”()«»◆✓✗+$<>‹›#%?!,;:{}\"'"
UNITS = re.compile(r"\d(?:k|M)\b")
DATES = frozenset(
    name
    for number in range(1, 13)
    for form in (QLocale.FormatType.ShortFormat, QLocale.FormatType.LongFormat)
    for name in (QLocale("en").monthName(number, form), QLocale("en").dayName((number - 1) % 7 + 1, form))
)
NAMES = frozenset(
    [
        "Palimpsest",
        "Markdown",
        "HTML",
        "JSON",
        "Lines",
        "python",
        "English",
        "Deutsch",
        "OpenAI",
        "OpenRouter",
        "us-east-1",  # of Amazon's regions
        "default",  # of its profiles
        "Anthropic",
        "Google",
        "Gemini",
        "Moonshot",
        "Kimi",
        "Ollama",
        "LM",
        "Studio",
        "llama.cpp",
        "vLLM",
        "OpenFork",
        "SPEC-008",
        "Go",
        "agent",
        "Seline",
        "None",
        "npx",
        "-y",
        "@scope/server",
        "--option",
    ]
)


class Pseudo(QTranslator):
    """A language in which each text that goes through `tr` stands in brackets."""

    def translate(self, context: str, text: str, note: str = "", count: int = -1) -> str:
        return f"⟦{text}⟧" if text else ""

    def language(self) -> str:
        return "en"


class Painted:
    """What is painted from now on. patch: as `monkeypatch.setattr`."""

    def __init__(self, patch: Callable[[type, str, Any], None]) -> None:
        self.texts: list[str] = []
        for kind, name, text_of in (
            (QPainter, "drawText", lambda _, words: next((word for word in words if isinstance(word, str)), "")),
            (QTextLayout, "draw", lambda layout, _: layout.text()),
            (QAbstractTextDocumentLayout, "draw", lambda layout, _: layout.document().toPlainText()),
        ):
            patch(kind, name, self._noting(getattr(kind, name), text_of))

    def _noting(self, draw: Callable[..., Any], text_of: Callable[[Any, tuple[Any, ...]], str]) -> Callable[..., Any]:
        def note(drawn: Any, *words: Any) -> Any:
            self.texts.append(text_of(drawn, words))
            return draw(drawn, *words)

        return note


def shown_texts(window: QWidget) -> Iterator[tuple[str, str]]:
    """Give each text of the window and of the menus above it, with where it stands."""
    menus = [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, QMenu) and widget.isVisible()]
    for ground in (window, *menus):
        for widget in (ground, *ground.findChildren(QWidget)):
            for text in _texts_of(widget):
                yield type(widget).__name__, text


def _texts_of(widget: QWidget) -> Iterator[str]:
    yield from (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription(), widget.windowTitle())
    if isinstance(widget, QAbstractButton | QLabel | TextLabel):
        yield widget.text()
    if isinstance(widget, QLineEdit | QPlainTextEdit | QTextEdit):
        yield widget.placeholderText()
    if isinstance(widget, QComboBox):
        yield from (widget.itemText(number) for number in range(widget.count()))
    for action in widget.actions():
        yield from (action.text().partition("\t")[0], action.toolTip())
    if isinstance(widget, QAbstractItemView) and isinstance(widget.model(), QAbstractItemModel):
        model = widget.model()
        for number in range(min(model.rowCount(), MAX_ROWS)):
            yield from (str(model.index(number, 0).data(role) or "") for role in ROLES)


def strings_in(value: object) -> Iterator[str]:
    """Give the texts of what the engine tells, but for failures, which the window translates."""
    if isinstance(value, str):
        yield value
        yield from value.split("/")  # a model's name without its server's
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from strings_in(key)
            yield from strings_in(inner)
    elif isinstance(value, msgspec.Struct) and not isinstance(value, Failure):
        for field in value.__struct_fields__:
            yield from strings_in(getattr(value, field))
    elif isinstance(value, list | tuple | set | frozenset):
        for inner in value:
            yield from strings_in(inner)


def forms_of(text: str) -> Iterator[str]:
    """Give a text of the engine's as the window may show it: by lines, without Markdown, arguments by themselves."""
    for line in (text, *text.splitlines()):
        yield line
        yield _without_markdown(line)
    yield " ".join(text.split())  # on one line
    yield " ".join(filter(None, map(_without_markdown, text.splitlines())))
    if text.startswith("{"):
        with suppress(msgspec.DecodeError):
            yield from strings_in(msgspec.json.decode(text))


def _without_markdown(line: str) -> str:
    return re.sub(r"^(?:[-*] |\d+\. |#+ )|[`*]", "", line).strip(PUNCTUATION)


def untranslated(text: str, told: Iterable[str]) -> str:
    """Return what of a text is neither in brackets, nor a number, a key or a date, nor told by the engine."""
    known = {*told, *DATES, *NAMES}
    text = re.sub(r"[\u2028\u2029]", "\n", text)
    while MARKED.search(text):
        text = MARKED.sub("\n", text)
    text = KEYS.sub("", CUT_OFF.sub("", text))
    if _is_told(text.strip(), known):
        return ""
    pieces = (piece.strip(PUNCTUATION) for piece in re.split(r"\n| · |: | — |, | → |; | -> |  +|[({]+\"?", text))
    return "; ".join(piece for piece in pieces if LETTERS.search(UNITS.sub("", piece)) and not _is_told(piece, known))


def _is_told(piece: str, known: set[str]) -> bool:
    if piece in known or all(word.strip(PUNCTUATION) in known for word in piece.split()):
        return True
    return any(text.startswith(piece) or (len(piece) > 11 and piece in text) for text in known if text)
