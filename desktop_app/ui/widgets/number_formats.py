"""Pure functions that format numbers, times and messages for the window, and make invisible characters visible.

Invisible characters can reorder or hide the characters around them. Times are in the local time zone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import date, datetime

from PySide6.QtCore import QDate, QDateTime, QLocale
from PySide6.QtGui import QGuiApplication, QTextDocument

from desktop_app.conversation.listing import CONTINUED, COPY, UNTITLED
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import locale, tr

MAX_SHARE = 9.99  # larger shares are "over 999 %"
ROLE_NAMES = {
    Role.SYSTEM: translatable("System"),
    Role.USER: translatable("You"),
    Role.ASSISTANT: translatable("Assistant"),
    Role.TOOL: translatable("Tool"),
}


def format_title(title: str) -> str:
    """Return a conversation's title, with "(copy)" and the placeholder of an untitled one in the window's language."""
    for mark in (COPY, CONTINUED):
        if title.endswith(f" {mark}"):
            return f"{format_title(title.removesuffix(f' {mark}'))} {tr(mark)}"
    return tr("New conversation") if title in UNTITLED else title


def capitalize(text: str) -> str:
    """Return the text with a capital first letter, leaving the rest, since German nouns are capitalized."""
    return text[:1].upper() + text[1:]


def format_number(number: int) -> str:
    """Return the number as "61,204", or "61.204" in German; a negative one with a real minus sign."""
    return locale().toString(number).replace("-", "−")


def format_decimal(number: float, digits: int) -> str:
    """Return the number with `digits` decimal places: "1.50", or "1,50" in German."""
    return locale().toString(float(number), "f", digits)


def format_bytes(size: int) -> str:
    """Return "812 bytes", "50 KB", "1.4 MB" or "2.3 GB"; 1 KB is 1,024 bytes."""
    if size < 1_024:
        return tr("%n bytes", "", size)
    if size < 1_024 * 1_000:
        return isolate(tr("{number} KB").format(number=round(size / 1_024)))
    if size < 1_048_576 * 1_000:
        return isolate(tr("{number} MB").format(number=format_decimal(size / 1_048_576, 1)))
    return isolate(tr("{number} GB").format(number=format_decimal(size / 1_073_741_824, 1)))


def format_dollars(dollars: float) -> str:
    """Return an amount such as "$1.24", "$0.0031" or "less than $0.0001"."""
    is_tiny = 0 < dollars < 0.0001
    digits = 2 if dollars >= 0.1 or not dollars else 4
    amount = tr("${amount}").format(amount=format_decimal(max(dollars, 0.0001) if is_tiny else dollars, digits))
    return tr("less than {amount}").format(amount=amount) if is_tiny else amount


def format_duration(seconds: float) -> str:
    """Return "8 s", "2 min 5 s" or "1 h 3 min"."""
    minutes, rest = divmod(int(seconds), 60)
    if not minutes:
        return isolate(tr("{seconds} s").format(seconds=rest))
    if minutes < 60:
        return isolate(tr("{minutes} min {seconds} s").format(minutes=minutes, seconds=rest))
    return isolate(tr("{hours} h {minutes} min").format(hours=minutes // 60, minutes=minutes % 60))


def format_wait(seconds: float) -> str:
    """Return "0.4 s", "< 0.1 s" for what would round to zero, or minutes."""
    if seconds >= 59.95:
        return format_duration(seconds)
    template = tr("< {seconds} s") if seconds < 0.05 else tr("{seconds} s")
    return isolate(template.format(seconds=format_decimal(max(seconds, 0.1), 1)))


def format_percent(share: float) -> str:
    """Return "62 %", or "< 1 %" for a share that would round to zero."""
    if 0 < share < 0.005:
        return isolate(tr("< 1 %"))
    if share > MAX_SHARE:
        return isolate(tr("over {number} %").format(number=format_number(round(MAX_SHARE * 100))))
    return isolate(tr("{number} %").format(number=round(share * 100)))


def percent_of(count: int, whole: int) -> int:
    """Return the percentage of `count` in `whole`, rounded as in `format_percent`; 100 if `whole` is not positive."""
    return round(min(count / whole, MAX_SHARE) * 100) if whole > 0 else 100


def isolate(text: str) -> str:
    """Return a text that keeps its order in a right-to-left line, where "2 %" would read "% 2"."""
    return f"\u2068{text}\u2069" if QGuiApplication.isRightToLeft() else text


def percentages(counts: Sequence[int], whole: int = 100) -> list[int]:
    """Return integer shares that add up to `whole`, by the largest-remainder method; all 0 if every count is 0."""
    total = sum(counts)
    if total == 0:
        return [0] * len(counts)
    exact = [count * whole / total for count in counts]
    shares = [int(share) for share in exact]
    by_remainder = sorted(range(len(counts)), key=lambda i: shares[i] - exact[i])
    for index in by_remainder[: whole - sum(shares)]:
        shares[index] += 1
    return shares


def format_time(at: float, now: float) -> str:
    """Return "Today 10:31", "Yesterday 16:02", "Tue 09:14", "3 Mar 10:31" or "3 Mar 2024".

    at, now: seconds since 1970, UTC.
    """
    then, today = datetime.fromtimestamp(at), datetime.fromtimestamp(now)
    days = (today.date() - then.date()).days
    clock, written = f"{then:%H:%M}", locale()
    if days == 0:
        return tr("Today {time}").format(time=clock)
    if days == 1:
        return tr("Yesterday {time}").format(time=clock)
    if 1 < days < 7:
        weekday = written.standaloneDayName(then.isoweekday(), QLocale.FormatType.ShortFormat)
        return tr("{weekday} {time}").format(weekday=weekday, time=clock)
    month = written.monthName(then.month, QLocale.FormatType.ShortFormat)
    if then.year == today.year:
        return isolate(tr("{day} {month} {time}").format(day=then.day, month=month, time=clock))
    return isolate(tr("{day} {month} {year}").format(day=then.day, month=month, year=then.year))


def format_day(day: date, *, has_year: bool = True) -> str:
    """Return a day such as "3 Mar 2024", or "3 Mar" without the year."""
    form = tr("d MMM yyyy", "a day") if has_year else tr("d MMM", "a day")
    return locale().toString(QDate(day.year, day.month, day.day), form)


def format_moment(at: float, form: str) -> str:
    """Return the time in a form that QLocale reads, such as "ddd d MMM, HH:mm". at: seconds since 1970, UTC."""
    return locale().toString(QDateTime.fromSecsSinceEpoch(int(at)), form)


def speaker_of(message: Message) -> str:
    """Return the speaker of a message: its own name, a tool's name, a model's short name, or the role."""
    if message.speaker:
        return message.speaker
    if message.tool_result is not None:
        return message.tool_result.name
    if message.role is Role.ASSISTANT and message.model:
        return message.model.rsplit("/", 1)[-1]
    return tr(ROLE_NAMES[message.role])


def readable_text(message: Message) -> str:
    """Return the readable parts of a message: text, calls, attachments, and reasoning if there is no text."""
    lines = [message.text] if message.text else []
    lines += [f"{call.name}({call.arguments})" for call in message.tool_calls]
    for part in message.parts:
        if isinstance(part, Attachment):
            lines.append(f"[{part.name}]" if part.is_image else f"[{part.name}]\n{part.content}")
        elif isinstance(part, Reasoning) and not message.text:
            lines.append(part.text)
    return "\n\n".join(lines)


def shorten(text: str, limit: int) -> str:
    """Return at most `limit` characters, the last one an ellipsis if the text is longer."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


MARKDOWN = QTextDocument.MarkdownFeature(0x0B60)
"""Qt's parser reads tables, ~~ and tasks, and neither HTML, nor addresses, nor _ as underlining: GitHub's dialect, as
Qt has it, takes a full stop into an address. The bits are flags of md4c that the enum does not name."""


def first_line_of_markdown(text: str, limit: int) -> str:
    """Return the first `limit` characters of a Markdown text on one line, without its markup."""
    document = QTextDocument()
    document.setMarkdown(text[: limit * 4], MARKDOWN)
    return first_line(document.toPlainText(), limit)


def first_line(text: str, limit: int = 300) -> str:
    """Return the first `limit` characters of a text, on one line."""
    return " ".join(text[: limit * 2].split())[:limit]


_BLANK = "\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5"  # letters and marks in Unicode that draw nothing
_INVISIBLE = re.compile(
    # Direction and width controls, spaces that a shell does not split at, variation selectors, tags, surrogates.
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xa0\xad\u0600-\u0605\u061c\u06dd\u070f\u180b-\u180f\u1680\u2000-\u200f\u2028-\u202f"
    f"\u205f-\u206f\u3000\ufe00-\ufe0f\ufeff\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff{_BLANK}]"
)


_DECEIVING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that make a file name look like another one, or like two."""


_OBEYED, _ALSO_OBEYED = bytes((*range(0x09), 0x0B, *range(0x0D, 0x20), 0x7F)), re.compile("[\x80-\x9f]")
"""Invisible characters that a terminal obeys when they are pasted: Enter, end of paste, its title, shell keys."""
_BEGINS_ONE = b"\xc2"  # the first byte, in UTF-8, of those in _ALSO_OBEYED
_LINE_END = b"\xff"  # a placeholder for CR LF that never occurs in UTF-8


def without_commands(text: str) -> str:
    """Return the text without control characters that a terminal obeys. Tabs, line ends and form feeds stay."""
    # As bytes: a pattern takes 130 ms for 5 MB of them.
    encoded, kept = text.encode("utf-8", "surrogatepass"), text
    if len(encoded.translate(None, _OBEYED)) < len(encoded):
        encoded = encoded.replace(b"\r\n", _LINE_END).translate(None, _OBEYED)
        kept = encoded.replace(_LINE_END, b"\r\n").decode("utf-8", "surrogatepass")
    return _ALSO_OBEYED.sub("", kept) if _BEGINS_ONE in encoded else kept


def escape_name(name: str) -> str:
    """Return a file name on one line, in the order of its characters: a line feed as ‹U+000A›, an override as ‹U+202E›.

    Other invisible characters stay: joined emoji and the names that systems give to screenshots contain them.
    """
    return _DECEIVING.sub(lambda found: f"‹U+{ord(found[0]):04X}›", name)


_ASCII_INVISIBLE = bytes((*range(0x09), *range(0x0B, 0x20), 0x7F))


def _is_plain(text: str) -> bool:
    """Return whether a text is ASCII without invisible characters, as most are: the pattern takes ten times as long."""
    return text.isascii() and len(text.encode().translate(None, _ASCII_INVISIBLE)) == len(text)


def escape_invisible(text: str) -> str:
    """Return the text with each invisible character spelled out, as in ‹U+202E›; spaces, tabs and newlines stay."""
    if _is_plain(text):
        return text
    return _INVISIBLE.sub(lambda found: f"‹U+{ord(found[0]):04X}›", text)


def invisible_names(*texts: str) -> str:
    """Return the Unicode names of the invisible characters in the texts, each once; "" if there are none."""
    found = dict.fromkeys(sign for text in texts if not _is_plain(text) for sign in _INVISIBLE.findall(text))
    return ", ".join(unicodedata.name(sign, f"U+{ord(sign):04X}").lower() for sign in found)
