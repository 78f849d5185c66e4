"""Numbers, times and messages as the window writes them. Pure, but for the local time zone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from desktop_app.conversation.message import Attachment, Message, Reasoning, Role
from desktop_app.conversation.words import pluralize as pluralize
from desktop_app.ui.translation import locale

MAX_SHARE = 9.99  # what is larger is "over 999 %"
ROLE_NAMES = {Role.SYSTEM: "System", Role.USER: "You", Role.ASSISTANT: "Assistant", Role.TOOL: "Tool"}


def format_number(number: int) -> str:
    """Return the number as "61,204", "61.204" in German; a minus sign stands before what is below zero."""
    return locale().toString(number).replace("-", "−")


def format_bytes(size: int) -> str:
    """Return "812 bytes", "50 KB" or "1.4 MB"; 1 KB is 1,024 bytes."""
    if size < 1_024:
        return pluralize(size, "byte")
    if size < 1_024 * 1_000:
        return f"{round(size / 1_024)} KB"
    return f"{size / 1_048_576:.1f} MB"


def format_dollars(dollars: float) -> str:
    """Return such as "$1.24", "$0.0031", "less than $0.0001"."""
    if 0 < dollars < 0.0001:
        return "less than $0.0001"
    return f"${dollars:,.2f}" if dollars >= 0.1 or not dollars else f"${dollars:.4f}"


def format_duration(seconds: float) -> str:
    """Return "8 s", "2 min 5 s" or "1 h 3 min"."""
    minutes, rest = divmod(int(seconds), 60)
    if not minutes:
        return f"{rest} s"
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def format_wait(seconds: float) -> str:
    """Return "0.4 s", or minutes."""
    return f"{seconds:.1f} s" if seconds < 59.95 else format_duration(seconds)


def format_percent(share: float) -> str:
    """Return "62 %", or "< 1 %" for a little, so that something never reads as nothing."""
    if 0 < share < 0.005:
        return "< 1 %"
    if share > MAX_SHARE:
        return f"over {MAX_SHARE * 100:,.0f} %"
    return f"{round(share * 100)} %"


def percentages(counts: Sequence[int]) -> list[int]:
    """Return whole percentages that add up to 100, by the largest remainder; all 0 when the counts are."""
    total = sum(counts)
    if total == 0:
        return [0] * len(counts)
    exact = [count * 100 / total for count in counts]
    whole = [int(share) for share in exact]
    by_remainder = sorted(range(len(counts)), key=lambda i: whole[i] - exact[i])
    for index in by_remainder[: 100 - sum(whole)]:
        whole[index] += 1
    return whole


def format_time(at: float, now: float) -> str:
    """Return "Today 10:31", "Yesterday 16:02", "Tue 09:14", "3 Mar 10:31" or "3 Mar 2024".

    at, now: seconds since 1970, UTC.
    """
    then, today = datetime.fromtimestamp(at), datetime.fromtimestamp(now)
    days = (today.date() - then.date()).days
    clock = f"{then:%H:%M}"
    if days == 0:
        return f"Today {clock}"
    if days == 1:
        return f"Yesterday {clock}"
    if 1 < days < 7:
        return f"{then:%a} {clock}"
    if then.year == today.year:
        return f"{then.day} {then:%b} {clock}"
    return f"{then.day} {then:%b} {then.year}"


def speaker_of(message: Message) -> str:
    """Return who speaks: a given name, a tool's name, a model's short name, or the role."""
    if message.speaker:
        return message.speaker
    if message.tool_result is not None:
        return message.tool_result.name
    if message.role is Role.ASSISTANT and message.model:
        return message.model.rsplit("/", 1)[-1]
    return ROLE_NAMES[message.role]


def readable_text(message: Message) -> str:
    """Return all that a person can read of a message: text, calls, attachments, and reasoning without a text."""
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


def first_line(text: str, limit: int = 300) -> str:
    """Return the first `limit` characters of a text, on one line."""
    return " ".join(text[: limit * 2].split())[:limit]
