"""Replies that were stopped or cut and go on: several messages of the record, one reply for the model.

A message continues another one if it names it in `continues` and stands directly behind it. The two are sent as one,
their texts joined without a gap: the second begins in the middle of what the first was saying.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from desktop_app.conversation.message import Attachment, Message, Part, Reasoning, Role, Text, ToolCall

MAX_QUOTED = 100
"""Characters of the end of a reply that the model is shown again: a small model loses the thread without them."""
CONTINUATION_PROMPT = (
    "[Your reply above was interrupted{why}{end}. "
    "Go on exactly where it stopped, with the very next words. Repeat nothing, and do not mention the interruption."
    "{lost}]"
)
TOO_LONG = " at the longest length of one reply"
LOST_CALL = " You were about to call `{name}`: that call was lost and has not been run, so make it again."
CUT_CALL = (
    " You were in the middle of a call of `{name}`: it has not been run. Make it again, so much shorter that it fits "
    "into one reply: write long text in several pieces."
)
CUT_NOTE = (
    "[Your reply above reached the longest length of one reply in the middle of a call of `{name}`. That call has not "
    "been run. Write long text in several pieces.]"
)
"""What the user is made to say before the next message, where the model was not asked to go on."""


def continuation_prompt(so_far: str, lost_call: str = "", is_cut: bool = False) -> str:
    """Return what the user is made to say so that the model goes on with a reply; it is not recorded.

    Most providers refuse or ignore a reply that is only begun at the end of a request (Claude from Opus 4.6 on, models
    that reason), so that the request ends with this. so_far: the text of the reply. is_cut: it was as long as a reply
    may be.
    """
    end = _end_of(so_far)
    quoted = f", right after “{end}”" if end else ""
    lost = (CUT_CALL if is_cut else LOST_CALL).format(name=lost_call) if lost_call else ""
    return CONTINUATION_PROMPT.format(why=TOO_LONG if is_cut else "", end=quoted, lost=lost)


def _end_of(text: str) -> str:
    """Return the last words, in one line."""
    end = " ".join(text[-4 * MAX_QUOTED :].split())
    if len(end) <= MAX_QUOTED:
        return end
    end = end[-MAX_QUOTED:]
    word = end.find(" ")
    return "…" + end[word + 1 if 0 <= word < MAX_QUOTED // 2 else 0 :]


def is_continuation_of(message: Message, before: Message) -> bool:
    """Return whether that message goes on in the middle of the one before it, both being the model's."""
    return (
        bool(message.continues)
        and message.continues == before.id
        and message.role is before.role is Role.ASSISTANT
        and message.speaker == before.speaker
        and all(isinstance(part, Text | Reasoning | ToolCall) for part in message.parts)
        and _ends_in_text(before)
    )


def _ends_in_text(message: Message) -> bool:
    """Return whether what is sent of a message ends in text."""
    for part in reversed(message.parts):
        if isinstance(part, Text | Attachment):
            return isinstance(part, Text)
    return False


def join_continuation(before: Message, message: Message) -> Message:
    """Return the two messages as the one that is sent, under the id of the first."""
    parts, more = list(before.parts), list(message.parts)
    last = next(n for n in reversed(range(len(parts))) if isinstance(parts[n], Text))
    first = next((n for n, part in enumerate(more) if isinstance(part, Text)), None)
    if first is not None:
        parts[last] = Text(_text(parts[last]) + _text(more.pop(first)))
    return replace(before, parts=(*parts, *more))


def _text(part: Part) -> str:
    return part.text if isinstance(part, Text) else ""


def whole_replies(messages: Iterable[Message]) -> list[Message]:
    """Return the messages, each continued reply joined into one message under the id of its beginning.

    For whoever reads what was said: in the record a sentence, or a word, may be parted in two.
    """
    whole: list[Message] = []
    last_id = ""
    for message in messages:
        if whole and is_continuation_of(message, replace(whole[-1], id=last_id)):
            whole[-1] = join_continuation(whole[-1], message)
        else:
            whole.append(message)
        last_id = message.id
    return whole
