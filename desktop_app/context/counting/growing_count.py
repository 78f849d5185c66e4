"""Counts the tokens of a text that grows by pieces, cheaply and without drift."""

from __future__ import annotations

from collections.abc import Callable

RECOUNT_EVERY = 256
"""Tokens: what is added piece by piece counts a little too much at each border, until it is recounted."""
MAX_TAIL = 16_384
"""Characters without a blank between two words, as of encoded data: more are not kept to be recounted."""


class GrowingCount:
    """Adds up pieces as they come, and recounts the whole now and then, and when asked to be exact."""

    def __init__(self, count: Callable[[str], int], every: int = RECOUNT_EVERY) -> None:
        self._count = count
        self._every = every
        self._tail = ""
        self._settled = self._rough = self._since = 0

    @property
    def tokens(self) -> int:
        """Tokens so far; at most those of `every` tokens are counted piece by piece."""
        return self._settled + self._rough

    def add(self, text: str) -> None:
        tokens = self._count(text)
        self._tail += text
        self._rough += tokens
        self._since += tokens
        if self._since >= self._every:
            self.recount()

    def recount(self) -> int:
        """Return the tokens of the text as a whole."""
        if self._since:
            cut = len(self._tail) if len(self._tail) > MAX_TAIL else _last_border(self._tail)
            self._settled += self._count(self._tail[:cut]) if cut else 0
            self._tail = self._tail[cut:]
            self._rough = self._count(self._tail) if self._tail else 0
            self._since = 0
        return self.tokens


def _last_border(text: str) -> int:
    """Return where the last word begins, with the blank before it: no tokenizer joins what lies on both sides."""
    index = text.rfind(" ")
    while index > 0 and not (text[index + 1 : index + 2].isalpha() and not text[index - 1].isspace()):
        index = text.rfind(" ", 0, index)
    return max(index, 0)
