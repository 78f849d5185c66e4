"""Cut texts at character boundaries, rather at the end of a line, and trim what a continued reply repeats.

A model that continues its reply often repeats its end; that is trimmed as it streams in:

    trimmer = OverlapTrimmer("The quick brown fo")
    trimmer.push("brown fox ju"), trimmer.push("mps"), trimmer.end()   together "x jumps"

What counts as repeated is the longest beginning of the continuation that the partial reply ends with, if it is

- twelve letters or digits or more, of five kinds or more (a Chinese or Japanese character counts as two); or
- within a line, two words or more from the beginning of a word on; or
- the whole last word, of three characters or more, that the partial reply ends in the middle of.

Up to MAX_BEGINNING characters before that may differ (a capital letter, an ellipsis, another way into the same
sentence), if what follows is twice as long. Nothing is trimmed that the partial reply itself says twice in a row, or
that repeats within itself: that is how the text goes on, as rows of a table or closing brackets do.

Limits: a line of code that rightly comes a second time, directly after itself, with twelve letters or more, is taken
for a repetition; a sentence that is repeated in other words is not.
"""

from __future__ import annotations

from unicodedata import category

MAX_STEPS = 16
"""Characters by which a cut moves to spare a composed one; longer heaps of accents are cut."""
JOINER = "\u200d"


def head_of(text: str, most: int, slack: int = 0) -> str:
    """Return at most `most` characters of the beginning; up to `slack` fewer if a line ends there."""
    if len(text) <= most:
        return text
    end = text.rfind("\n", most - slack, most) + 1 if slack else 0
    return text[: end or _cut(text, most, -1)]


def tail_of(text: str, most: int, slack: int = 0) -> str:
    """Return at most `most` characters of the end; up to `slack` fewer if a line begins there."""
    start = len(text) - most
    if start <= 0:
        return text
    begin = text.find("\n", start - 1, start + slack) + 1 if slack else 0
    return text[begin or _cut(text, start, 1) :]


def ends_of(text: str, most: int) -> str:
    """Return at most `most` characters: the whole text, or two thirds of its beginning and a third of its end."""
    if len(text) <= most:
        return text
    head = head_of(text, most * 2 // 3)
    return f"{head}\n…\n{tail_of(text, most - len(head) - 3)}" if most > len(head) + 3 else head_of(text, most)


def _cut(text: str, at: int, step: int) -> int:
    """Return the index nearest to `at` where a cut parts nothing; step: -1 to look before it, 1 behind it."""
    for index in range(at, at + step * MAX_STEPS, step):
        if not _is_inside(text, index):
            return index
    return at + step * _is_pair(text, at)


def _is_inside(text: str, at: int) -> bool:
    """Return whether both sides are seen as one: an accent, a joined emoji, a flag, two halves of a character."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if right < "\u0300":
        return left == "\r" and right == "\n"
    if right == JOINER or left == JOINER or category(right)[0] == "M" or "\U0001f3fb" <= right <= "\U0001f3ff":
        return True
    return _is_pair(text, at) or (_is_flag(right) and _flags_before(text, at) % 2 == 1)


def _is_pair(text: str, at: int) -> bool:
    """Return whether a pair of surrogates stands on both sides: JSON may hold such, Python's own text not."""
    return 0 < at < len(text) and "\ud800" <= text[at - 1] <= "\udbff" and "\udc00" <= text[at] <= "\udfff"


def _is_flag(sign: str) -> bool:
    return "\U0001f1e6" <= sign <= "\U0001f1ff"


def _flags_before(text: str, at: int) -> int:
    """Return how many halves of flags stand right before that index: two make a flag, counted from the first."""
    start = at
    while start and _is_flag(text[start - 1]):
        start -= 1
    return at - start


LOOK_BACK = 2_000
"""Characters of the end of the partial reply in which the continuation may begin."""
MAX_BEGINNING = 30
"""Characters at the beginning of the continuation that may differ. So many are held back, before anything shows."""
FIRST_WIDE = 0x2E80
"""From here on characters are ideographs, kana and the like, which say as much as two letters or more."""
SURE = 12
KINDS = 5
SURE_IN_LINE = 6
MIN_WORD = 3
SURE_BEHIND_OTHER = 24
"""Characters that must be the same behind a beginning that differs."""


class OverlapTrimmer:
    """Holds back the beginning of a continuation until it is clear what of it is new. Pieces may be cut anywhere.

    before: the partial reply.
    """

    def __init__(self, before: str) -> None:
        self._before = before[-LOOK_BACK:]
        self._held = ""
        self._is_decided = not self._before
        self._is_blank_enough = False

    def push(self, text: str) -> str:
        """Return what of the continuation can be shown now; "" while it is not clear."""
        if self._is_decided:
            return self._without_blank(text)
        start, self._held = len(self._held), self._held + text
        for seen in range(start + 1, len(self._held) + 1):
            if not self._may_go_on(seen):
                return self._decide(seen)
        return ""

    def end(self) -> str:
        """Return the rest, when the model has said all."""
        return "" if self._is_decided else self._decide(len(self._held))

    def cut(self) -> str:
        """Return the rest, when the model is not heard out: nothing if it seemed to be repeating itself."""
        if not self._is_decided and self._held in self._before[:-1]:
            self._is_decided, self._held = True, ""
        return self.end()

    def _may_go_on(self, seen: int) -> bool:
        """Return whether the `seen` first characters may be the beginning of a longer repetition."""
        return seen < len(self._before) and self._held[MAX_BEGINNING:seen] in self._before[MAX_BEGINNING:-1]

    def _decide(self, seen: int) -> str:
        """Return what remains of the `seen` first characters, and of all that came with them."""
        self._is_decided = True
        length = self._repeated_length(seen)
        rest, self._held = self._held[length:], ""
        self._is_blank_enough = not length and _ends_in_blank(self._before)
        return self._without_blank(rest)

    def _without_blank(self, text: str) -> str:
        """Return what is shown of a text. Where the partial reply ends in a blank, those that follow are left out."""
        if not self._is_blank_enough:
            return text
        rest = text.lstrip(" ")
        self._is_blank_enough = not rest
        return rest

    def _repeated_length(self, seen: int) -> int:
        """Return how many characters of the beginning are repeated: of the longest text that is the same."""
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
    """Return whether the text has a period of at most half its length."""
    return any(text[p:] == text[:-p] for p in range(1, len(text) // 2 + 1) if text[p] == text[0])


def _ends_in_blank(text: str) -> bool:
    """Return whether the text ends between two words: one blank is enough there."""
    return text.endswith(" ") and not text[:-1].endswith((" ", "\n", "\t")) and len(text) > 1
