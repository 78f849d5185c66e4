"""Layer 1: truncate new oversized tool results (T1 to T6) and messages; the full text is stored as a spill.

A user's message that alone is larger than the window is cut, or sent as a file that is read in parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.message import Attachment, Message, Role, Text
from desktop_app.conversation.words import format_number, translatable

from .compact.compaction import measure_blocks
from .counting.tokens import TokenCounts
from .ledger.changed_files import RUNNING
from .policy import Budget, ContextPolicy
from .text_cuts import head_of, tail_of
from .view.view import View

LINE_CUT = "... (line truncated)"
NOTICE = "[Truncated: "
_NOTICED = re.compile(
    re.escape(NOTICE) + r"([\d,]+) lines, ([\d,]+) bytes; (?:[\d,]+ lines, ([\d,]+) bytes are shown)?[^\n]*\]\s*\Z"
)
_CUT_FROM = re.compile(r", cut from line ([\d,]+) on\.")
_CUT_AT = re.compile(r'"character": (\d+)\}')
_KEPT = re.compile(r"kept as ([0-9a-f]{64});")
ARCHIVED = "The whole is archived."
MAX_NOTICE = 600
"""Maximum characters of the notice and the marker; the shown text is cut so that both fit into the limits."""
MAX_MARKER = 40
"""Characters of the line between both ends of a result, including its line breaks."""
MIN_SIZE, MIN_LINE, MIN_LINES = 1_200, 500, 12
"""Lower bounds of the limits: the notice has to fit, or a truncated text would be truncated again."""


class Truncation(msgspec.Struct, frozen=True):
    """A result in the form that is sent."""

    text: str
    spill: str | None
    """The SHA-256 of the full text if something was left out, otherwise None."""
    lines: int
    bytes: int
    """Of the full text, as UTF-8."""
    shown_lines: int
    shown_bytes: int
    """Without marker and notice."""
    first_cut_line: int = 0
    """The line in which the first gap begins, counted from 1; 0 if there is none."""
    first_cut_character: int = 0
    """The first missing character in that line, counted from 1; 0 for its beginning."""


class TruncationLimits(msgspec.Struct, frozen=True):
    """Limits of a result: lines, UTF-8 bytes, characters, and characters of one line."""

    lines: int
    bytes: int
    characters: int
    line: int

    def hold(self, text: str) -> bool:
        """Return whether the text is within all limits."""
        return (
            len(text) <= self.characters
            and (len(text) * 4 <= self.bytes or _bytes(text) <= self.bytes)
            and (len(text) < self.lines or text.count("\n") < self.lines)
            and not _has_longer_line(text, self.line)
        )

    def half(self) -> TruncationLimits:
        """Return half of the limits, with the same length of a line."""
        return TruncationLimits(self.lines // 2, self.bytes // 2, self.characters // 2, self.line)


def limits_of(tool: str, policy: ContextPolicy) -> TruncationLimits:
    """Return the limits of a tool, all of which apply: the general ones (T1), and its own in characters (T2).

    Only tools with a limit of their own write lines. The tools of servers often write everything in one line.
    """
    own = dict(policy.truncate_tools).get(tool.lower())
    characters = max(policy.truncate_other_tools if own is None else own, MIN_SIZE)
    line = max(policy.truncate_line, MIN_LINE)
    return TruncationLimits(
        lines=max(policy.truncate_lines, MIN_LINES),
        bytes=max(policy.truncate_bytes, MIN_SIZE),
        characters=characters,
        line=max(line, characters) if own is None else line,
    )


def truncate_result(text: str, tool: str, policy: ContextPolicy, is_spilled: bool = True) -> Truncation:
    """Return the tool's result within its limits. Files and lists keep their head, commands both ends (T3).

    is_spilled: whether the notice names the spill; otherwise the full text is only in the record.
    """
    limits = limits_of(tool, policy)
    lines, size = text.count("\n") + 1, _bytes(text)
    is_huge = len(text) > max(policy.spill_above, MIN_SIZE)
    if not is_huge and limits.hold(text):
        return Truncation(text, None, lines, size, lines, size)
    spill = sha256(text.encode(errors="surrogatepass")).hexdigest()
    split = text.split("\n")
    is_command = policy.truncate_keep == "by_tool" and RUNNING.search(tool) is not None
    is_both = is_command or policy.truncate_keep == "head_tail"
    if is_huge:  # the shown text must not be huge itself
        most = min(limits.characters, max(policy.spill_above, MIN_SIZE))
        limits = msgspec.structs.replace(limits, characters=most)
    head, tail = ([], []) if is_huge and not is_command else _keep(split, limits, is_both)
    first_cut = next((n for n, line in enumerate(head) if line != split[n]), len(head)) + 1
    kept = [*head, *tail]
    within = len(head[first_cut - 1]) - len(LINE_CUT) + 1 if first_cut <= len(head) else 0
    cut = Truncation("", spill, lines, size, len(kept), _bytes("\n".join(kept)), first_cut, within)
    if tail:
        left_out = lines - len(kept)
        kept = [*head, f"[… {left_out:,} lines left out here …]" if left_out else "[… cut here …]", *tail]
    text = "\n".join([*kept, notice(cut, is_spilled)])
    return msgspec.structs.replace(cut, text=text)


def notice(cut: Truncation, is_spilled: bool) -> str:
    """Return the notice: what was left out, where, and how to read the rest (T4)."""
    shown_part = (
        f"{cut.shown_lines:,} lines, {cut.shown_bytes:,} bytes are shown" if cut.shown_bytes else "nothing is shown"
    )
    within = f', "character": {cut.first_cut_character}' if cut.first_cut_character else ""
    place = f'"path": "{cut.spill}", "offset": {cut.first_cut_line}{within}'
    rest = f"The whole is kept as {cut.spill}; to go on: read {{{place}}}." if is_spilled else ARCHIVED
    sizes = f"{cut.lines:,} lines, {cut.bytes:,} bytes"
    return f"{NOTICE}{sizes}; {shown_part}, cut from line {cut.first_cut_line:,} on. {rest}]"


def is_truncated(text: str) -> bool:
    """Return whether a result ends with the notice, so that it is not complete."""
    return sizes_in_notice(text) is not None


def sizes_in_notice(text: str) -> tuple[int, int] | None:
    """Return the bytes of the full and of the shown text, from a result's notice; None if it has none."""
    noticed = _NOTICED.search(text[-MAX_NOTICE:]) if NOTICE in text[-MAX_NOTICE:] else None
    if noticed is None:
        return None
    return _number(noticed[2]), _number(noticed[3])


def shorten_result(text: str, most: int, is_spilled: bool = True) -> Truncation:
    """Return both ends of a result in at most `most` characters, or only the notice if that is longer.

    is_spilled: as for `truncate_result`. A result that is already truncated keeps its spill and its first gap.
    """
    original, body = _before_notice(text)
    is_spilled = is_spilled if original.spill is None else True
    spill = original.spill or sha256(text.encode(errors="surrogatepass")).hexdigest()
    longest_figures = dict.fromkeys(("shown_lines", "shown_bytes", "first_cut_line", "first_cut_character"), len(body))
    cut = msgspec.structs.replace(original, spill=spill, **longest_figures)
    room = max(most - len(notice(cut, is_spilled)) - MAX_MARKER, 0)
    head = head_of(body, room // 2, room // 20)
    tail = tail_of(body, room - len(head), room // 20) if room else ""
    if len(head) + len(tail) >= len(body):
        return msgspec.structs.replace(original, text=text, spill=None)
    gap = head.count("\n") + 1, len(head) - head.rfind("\n")
    line, character = (
        min(gap, (original.first_cut_line, original.first_cut_character or 1)) if original.first_cut_line else gap
    )
    left_out = body.count("\n", len(head), len(body) - len(tail))
    cut = msgspec.structs.replace(
        cut,
        shown_lines=len(head.splitlines()) + len(tail.splitlines()),
        shown_bytes=_bytes(head) + _bytes(tail),
        first_cut_line=line,
        first_cut_character=character if character > 1 else 0,
    )
    marker = f"[… {left_out:,} lines left out here …]" if left_out else "[… cut here …]"
    ends = (head.removesuffix("\n"), marker, tail.removesuffix("\n")) if room else ()
    return msgspec.structs.replace(cut, text="\n".join((*ends, notice(cut, is_spilled))))


def spill_named_in(text: str) -> str | None:
    """Return the name of the spill in a result's notice; None if there is none."""
    return _before_notice(text)[0].spill


def _before_notice(text: str) -> tuple[Truncation, str]:
    """Return the full text's sizes in a result's notice, and the text before it; without a notice, the result's own."""
    noticed = _NOTICED.search(text, max(len(text) - MAX_NOTICE, 0)) if NOTICE in text[-MAX_NOTICE:] else None
    if noticed is None:
        return Truncation(text, None, text.count("\n") + 1, _bytes(text), 0, 0), text
    line, at, kept = (found.search(noticed[0]) for found in (_CUT_FROM, _CUT_AT, _KEPT))
    gap = _number(line[1]) if line else 0, _number(at[1]) if at else 0
    original = Truncation(text, kept[1] if kept else None, _number(noticed[1]), _number(noticed[2]), 0, 0, *gap)
    return original, text[: noticed.start()].rstrip("\n")


def _number(digits: str | None) -> int:
    return int((digits or "0").replace(",", ""))


def _keep(split: list[str], limits: TruncationLimits, is_both: bool) -> tuple[list[str], list[str]]:
    """Return the lines that are kept at the head and at the tail; long lines are cut."""
    room = TruncationLimits(limits.lines - 4, limits.bytes - MAX_NOTICE, limits.characters - MAX_NOTICE, limits.line)
    head_only = _run(split, room, is_tail=False)
    if not is_both or len(head_only) == len(split):
        return head_only, []
    half = room.half()
    head = _run(split, half, is_tail=False)
    return head, _run(split[len(head) :], half, is_tail=True)


def _run(split: list[str], room: TruncationLimits, is_tail: bool) -> list[str]:
    """Return the lines from the head or the tail that fit; a part of the first one if it is too long by itself."""
    run: list[str] = []
    size = characters = 0
    for line in reversed(split) if is_tail else split:
        line = _line(line, room.line)
        size, characters = size + _bytes(line) + 1, characters + len(line) + 1
        if len(run) == room.lines or size > room.bytes or characters > room.characters:
            break
        run.append(line)
    if not run and split:
        most = min(room.bytes // 4, room.characters) - len(LINE_CUT) - 1
        run = [tail_of(split[-1], most)] if is_tail else [head_of(split[0], most) + LINE_CUT]
    return run[::-1] if is_tail else run


def _has_longer_line(text: str, most: int) -> bool:
    """Return whether any line is longer, by jumping from line break to line break within reach."""
    begin = 0
    while len(text) - begin > most:
        end = text.rfind("\n", begin, begin + most + 1)
        if end < 0:
            return True
        begin = end + 1
    return False


def _line(line: str, most: int) -> str:
    return line if len(line) <= most else head_of(line, most - len(LINE_CUT)) + LINE_CUT


def _bytes(text: str) -> int:
    """Return the length in UTF-8 bytes, with three for a lone surrogate."""
    return len(text) if text.isascii() else len(text.encode(errors="surrogatepass"))


READ = "read"
"""The tool that reads a spill, and whose limits apply to a message that is sent as a file."""
MIN_ROOM = 200
"""Tokens; with fewer, the rest of the message makes no sense."""
MIN_SHARE = 0.001
MIN_TEXT = 400
"""Characters of a text that is not cut: next to a large attachment, it says what to do with it."""

NOTHING_SENT = translatable("only its name is sent; the model can read it")
LINES_SENT = translatable("{shown} of {whole} lines are sent; the model can read the rest")
BYTES_SENT = translatable("{shown} of {whole} bytes are sent; the model can read the rest")
ENDS_SENT = translatable("{shown} of {whole} characters are sent, from its beginning and its end")


class Oversized(msgspec.Struct, frozen=True):
    """A message that must stay and does not fit. Sizes are tokens."""

    message: Message
    tokens: int
    room: int
    """Its maximum tokens."""


class ShortMessage(msgspec.Struct, frozen=True):
    """The parts of a message that fit. spills: full texts to be stored."""

    text: str
    attachments: tuple[Attachment, ...]
    spills: tuple[str, ...] = ()


def find_oversized(view: View, policy: ContextPolicy, budget: Budget, counts: TokenCounts) -> Oversized | None:
    """Return the user's newest message if the request would fit only with it shortened."""
    item = next((item for item in view.items if item.message.id == view.last_user_id), None)
    if item is None or item.message.role is not Role.USER or budget.usable <= 0:
        return None
    tokens, fixed = counts.total(item.message), measure_blocks(view, counts).fixed
    room = round(budget.limit * policy.compact_at) - (fixed - tokens)
    does_fit = fixed <= budget.blocked_tokens(policy)
    return None if does_fit or not MIN_ROOM <= room < tokens else Oversized(item.message, tokens, room)


def cut_message(oversized: Oversized, counts: TokenCounts) -> ShortMessage:
    """Return both ends of each text with a mark between them, in a proportion of two to one; images stay."""
    share = oversized.room / oversized.tokens

    def ends_of(text: str) -> _ShortText:
        return _ends_of(text, round(len(text) * share))

    short = _with_texts(oversized.message, ends_of)
    while not _fits(short, oversized, counts) and share > MIN_SHARE:
        share *= 0.8
        short = _with_texts(oversized.message, ends_of)
    return short


def message_as_files(oversized: Oversized, policy: ContextPolicy, counts: TokenCounts) -> ShortMessage:
    """Return each long text cut like a tool result, with a notice that names its spill and how to read on."""
    limits, spills = policy, list[str]()

    def cut(text: str) -> _ShortText:
        result = truncate_result(text, READ, limits)
        spills.extend([text] if result.spill else [])
        return _ShortText(result.text, _about_beginning(text, result) if result.spill else "")

    short = _with_texts(oversized.message, cut)
    while not _fits(short, oversized, counts) and limits.truncate_bytes > MIN_SIZE:
        limits = replace(limits, truncate_bytes=max(limits.truncate_bytes // 2, MIN_SIZE))
        spills.clear()
        short = _with_texts(oversized.message, cut)
    return replace(short, spills=tuple(spills))


class _ShortText(msgspec.Struct, frozen=True):
    """A text in the form that is sent. about: the sent part, in words for the user; "" for the full text."""

    text: str
    about: str = ""


def _with_texts(message: Message, change: Callable[[str], _ShortText]) -> ShortMessage:
    texts = [change(part.text).text for part in message.parts if isinstance(part, Text)]
    attached = [part for part in message.parts if isinstance(part, Attachment)]
    changed = (file if file.is_image else _with_content(file, change(file.content)) for file in attached)
    return ShortMessage("\n\n".join(texts), tuple(changed))


def _with_content(file: Attachment, short: _ShortText) -> Attachment:
    """Return the file in the form that is sent, with `about` for the file and for the sent part."""
    if not short.about:
        return file
    return replace(file, content=short.text, about=" · ".join(filter(None, (file.about, short.about))))


def _about_beginning(text: str, cut: Truncation) -> str:
    lines = cut.lines - text.endswith("\n")
    if not cut.shown_bytes:
        return NOTHING_SENT
    if cut.shown_lines < lines:
        return LINES_SENT.format(shown=format_number(cut.shown_lines), whole=format_number(lines))
    return BYTES_SENT.format(shown=format_number(cut.shown_bytes), whole=format_number(cut.bytes))


def _fits(short: ShortMessage, oversized: Oversized, counts: TokenCounts) -> bool:
    parts = (*((Text(short.text),) if short.text else ()), *short.attachments)
    return counts.total(replace(oversized.message, parts=parts)) <= oversized.room


def _ends_of(text: str, most: int) -> _ShortText:
    if len(text) <= max(most, MIN_TEXT):
        return _ShortText(text)
    head, tail = head_of(text, most * 2 // 3, 200), tail_of(text, most // 3, 200)
    kept = len(head) + len(tail)
    about = ENDS_SENT.format(shown=format_number(kept), whole=format_number(len(text)))
    return _ShortText(f"{head}\n\n[… {len(text) - kept:,} characters left out …]\n\n{tail}", about)
