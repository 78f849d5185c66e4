"""Fonts of scripts that were not shown yet: to find them takes long, so that is done script by script."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from PySide6.QtGui import QFont, QFontMetricsF, QTextBlock, QTextDocument

MAX_SAMPLE = 16  # letters of a script
_known: set[tuple[str, int]] = set()


def load_document_fonts(document: QTextDocument, may_go_on: Callable[[], bool]) -> bool:
    """Load the fonts that a document will be laid out with, bold ones and the like too: each is another one for Qt."""
    if document.toPlainText().isascii():
        return True
    texts: dict[str, tuple[QFont, set[str]]] = {}
    block = document.begin()
    while block.isValid():
        for look, text in _fragments(block, document.defaultFont()):
            texts.setdefault(look.key(), (look, set()))[1].update(text)
        block = block.next()
    return all(load_fonts(signs, look, may_go_on) for look, signs in texts.values())


def _fragments(block: QTextBlock, default: QFont) -> Iterator[tuple[QFont, str]]:
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        if not fragment.text().isascii():
            yield fragment.charFormat().font().resolve(default), fragment.text()
        iterator += 1


def load_fonts(signs: Iterable[str], look: QFont, may_go_on: Callable[[], bool]) -> bool:
    """Load the fonts of the scripts of these characters; return False if there was no time for all."""
    key = look.key()
    samples: dict[tuple[str, int], str] = {}
    for sign in sorted(set(signs)):
        script = key, _script_of(ord(sign))
        if not sign.isascii() and script not in _known and len(samples.get(script, "")) < MAX_SAMPLE:
            samples[script] = samples.get(script, "") + sign
    for script, sample in samples.items():
        if not may_go_on():
            return False
        QFontMetricsF(look).horizontalAdvance(sample)
        _known.add(script)
    return True


def _script_of(code: int) -> int:
    """Return a number that is the same for letters of one script: Unicode has them in pieces of sixteen."""
    is_large = 0x3000 <= code < 0xA000 or code >= 0xAC00
    return -(code >> 12) if is_large else code >> 4
