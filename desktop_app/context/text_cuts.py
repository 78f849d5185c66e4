"""Cut texts at character boundaries, preferably at the end of a line, and trim the repeated text of a continued reply.

A model that continues its reply often repeats its end, which is trimmed during streaming:

    trimmer = OverlapTrimmer("The quick brown fo")
    trimmer.push("brown fox ju"), trimmer.push("mps"), trimmer.end()   together "x jumps"

The repetition is the longest beginning of the continuation with which the partial reply ends, if it is

- twelve or more letters or digits, of five or more kinds (a Chinese or Japanese character counts as two); or
- within a line, two or more words from the beginning of a word; or
- the entire last word, of three or more characters, in the middle of which the partial reply ends.

Up to MAX_BEGINNING characters before it may differ (a capital letter, an ellipsis, another opening of the same
sentence), if the repetition is twice as long. Text is not trimmed if the partial reply itself contains it twice in a
row, or if it repeats within itself: such text continues regularly, as rows of a table or closing brackets do.

Limits: a line of code of twelve or more letters that is correctly repeated, directly after itself, is mistaken for
a repetition; a sentence that is repeated in other words is not.
"""

from __future__ import annotations

from unicodedata import category

MAX_STEPS = 16
"""Characters by which a cut is moved to avoid splitting a composed one; longer stacks of accents are split."""
JOINER = "\u200d"


def head_of(text: str, most: int, slack: int = 0) -> str:
    """Return at most `most` characters of the beginning, up to `slack` fewer to end with a line."""
    if len(text) <= most:
        return text
    end = text.rfind("\n", most - slack, most) + 1 if slack else 0
    return text[: end or _cut(text, most, -1)]


def tail_of(text: str, most: int, slack: int = 0) -> str:
    """Return at most `most` characters of the end, up to `slack` fewer to begin with a line."""
    start = len(text) - most
    if start <= 0:
        return text
    begin = text.find("\n", start - 1, start + slack) + 1 if slack else 0
    return text[begin or _cut(text, start, 1) :]


def ends_of(text: str, most: int) -> str:
    """Return at most `most` characters: the full text, or its beginning and its end in a proportion of two to one."""
    if len(text) <= most:
        return text
    head = head_of(text, most * 2 // 3)
    return f"{head}\n…\n{tail_of(text, most - len(head) - 3)}" if most > len(head) + 3 else head_of(text, most)


def _cut(text: str, at: int, step: int) -> int:
    """Return the nearest index at which a cut splits no character. step: -1 to search before `at`, 1 after it."""
    for index in range(at, at + step * MAX_STEPS, step):
        if not _is_inside(text, index):
            return index
    return at + step * _is_pair(text, at)


def _is_inside(text: str, at: int) -> bool:
    """Return whether both sides form one character: an accent, a joined emoji, a flag, a pair of surrogates."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if right < "\u0300":
        return left == "\r" and right == "\n"
    if right == JOINER or left == JOINER or category(right)[0] == "M" or "\U0001f3fb" <= right <= "\U0001f3ff":
        return True
    return _is_pair(text, at) or (_is_flag(right) and _flags_before(text, at) % 2 == 1)


def _is_pair(text: str, at: int) -> bool:
    """Return whether the index is between a pair of surrogates, as in text from JSON, but not in Python's own."""
    return 0 < at < len(text) and "\ud800" <= text[at - 1] <= "\udbff" and "\udc00" <= text[at] <= "\udfff"


def _is_flag(sign: str) -> bool:
    return "\U0001f1e6" <= sign <= "\U0001f1ff"


def _flags_before(text: str, at: int) -> int:
    """Return the number of flag halves right before the index; each two form a flag, counted from the first."""
    start = at
    while start and _is_flag(text[start - 1]):
        start -= 1
    return at - start


LOOK_BACK = 2_000
"""Characters of the end of the partial reply in which the continuation may begin."""
MAX_BEGINNING = 30
"""Characters at the beginning of the continuation that may differ, which are held back before any text is shown."""
FIRST_WIDE = 0x2E80
"""The first of the ideographs, kana and the like, which say as much as two or more letters."""
SURE = 12
KINDS = 5
SURE_IN_LINE = 6
MIN_WORD = 3
SURE_BEHIND_OTHER = 24
"""Characters that must match after a beginning that differs."""


class OverlapTrimmer:
    """Holds back the beginning of a continuation until its new part is known. Pieces may be cut anywhere.

    before: the partial reply.
    """

    def __init__(self, before: str) -> None:
        self._before = before[-LOOK_BACK:]
        self._held = ""
        self._is_decided = not self._before
        self._is_blank_enough = False

    def push(self, text: str) -> str:
        """Return the part of the continuation that can be shown now; "" while it may be a repetition."""
        if self._is_decided:
            return self._without_blank(text)
        start, self._held = len(self._held), self._held + text
        for seen in range(start + 1, len(self._held) + 1):
            if not self._may_go_on(seen):
                return self._decide(seen)
        return ""

    def end(self) -> str:
        """Return the rest after the end of the continuation."""
        return "" if self._is_decided else self._decide(len(self._held))

    def cut(self) -> str:
        """Return the rest after an interruption: nothing if the model seemed to repeat itself."""
        if not self._is_decided and self._held in self._before[:-1]:
            self._is_decided, self._held = True, ""
        return self.end()

    def _may_go_on(self, seen: int) -> bool:
        """Return whether the first `seen` characters may be the beginning of a longer repetition."""
        return seen < len(self._before) and self._held[MAX_BEGINNING:seen] in self._before[MAX_BEGINNING:-1]

    def _decide(self, seen: int) -> str:
        """Return the held text without the repetition in its first `seen` characters."""
        self._is_decided = True
        length = self._repeated_length(seen)
        rest, self._held = self._held[length:], ""
        self._is_blank_enough = not length and _ends_in_blank(self._before)
        return self._without_blank(rest)

    def _without_blank(self, text: str) -> str:
        """Return the text to show: without leading spaces if the partial reply ends in a space."""
        if not self._is_blank_enough:
            return text
        rest = text.lstrip(" ")
        self._is_blank_enough = not rest
        return rest

    def _repeated_length(self, seen: int) -> int:
        """Return the number of characters up to the end of the longest repetition."""
        best, longest = 0, 0
        for length in range(1, min(seen, len(self._before)) + 1):
            others = range(min(length - longest, MAX_BEGINNING + 1))
            other = next((n for n in others if self._before.endswith(self._held[n:length])), length)
            if length - other > longest and self._is_repetition(length - other, other):
                best, longest = length, length - other
        return best

    def _is_repetition(self, same: int, other: int) -> bool:
        text, before = self._before[-same:], self._before[:-same]
        if before.endswith(text) or _repeats_itself(text):
            return False
        known = [letter for letter in text if letter.isalnum()]
        weight = len(known) + sum(ord(letter) >= FIRST_WIDE for letter in known)
        is_sure = weight >= SURE and len(set(known)) >= KINDS
        if other:
            return is_sure and same >= max(SURE_BEHIND_OTHER, 2 * other)
        if is_sure:
            return True
        line = text[:-1] if _ends_in_blank(text) else text
        if not _is_of_word(line[-1:]) or (_is_of_word(line[0]) and _is_of_word(before[-1:])):
            return False
        words = len("".join(letter if _is_of_word(letter) else " " for letter in line).split())
        if words == 1:
            return len(text) >= MIN_WORD and _is_of_word(text[0]) and _is_of_word(text[-1]) and not text.isdigit()
        return len(known) >= SURE_IN_LINE and "\n" not in line


def _is_of_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def _repeats_itself(text: str) -> bool:
    """Return whether the text is periodic, with a period of at most half its length."""
    return any(text[p:] == text[:-p] for p in range(1, len(text) // 2 + 1) if text[p] == text[0])


def _ends_in_blank(text: str) -> bool:
    """Return whether the text ends with the space between two words, which needs no second one."""
    return text.endswith(" ") and not text[:-1].endswith((" ", "\n", "\t")) and len(text) > 1
