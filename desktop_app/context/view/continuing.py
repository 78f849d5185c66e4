"""Replies that were stopped or cut and then continued: several messages of the record, one reply for the model.

A message continues another one if it names it in `continues` and directly follows it. The two are sent as one, their
texts joined without a gap: the second begins where the first was interrupted.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from desktop_app.conversation.message import Attachment, Message, Part, Reasoning, Role, Text, ToolCall

MAX_QUOTED = 100
"""Characters of a reply's end that are quoted to the model: a small model loses the thread without them."""
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
"""Note inserted as the user's before the next message, if the model was not asked to continue."""


def continuation_prompt(so_far: str, lost_call: str = "", is_cut: bool = False) -> str:
    """Return the prompt that asks the model to continue a reply. It is sent as the user's, and not recorded.

    Most providers refuse or ignore an unfinished reply at the end of a request (Claude from Opus 4.6 on, models that
    reason), so the request ends with this prompt. so_far: the text of the reply. is_cut: whether it reached the maximum
    length of a reply.
    """
    end = _end_of(so_far)
    quoted = f", right after “{end}”" if end else ""
    lost = (CUT_CALL if is_cut else LOST_CALL).format(name=lost_call) if lost_call else ""
    return CONTINUATION_PROMPT.format(why=TOO_LONG if is_cut else "", end=quoted, lost=lost)


def _end_of(text: str) -> str:
    """Return the last words of a text, in one line."""
    end = " ".join(text[-4 * MAX_QUOTED :].split())
    if len(end) <= MAX_QUOTED:
        return end
    end = end[-MAX_QUOTED:]
    word = end.find(" ")
    return "…" + end[word + 1 if 0 <= word < MAX_QUOTED // 2 else 0 :]


def is_continuation_of(message: Message, before: Message) -> bool:
    """Return whether the message continues the one before it in mid-sentence, both being the model's."""
    return (
        bool(message.continues)
        and message.continues == before.id
        and message.role is before.role is Role.ASSISTANT
        and message.speaker == before.speaker
        and all(isinstance(part, Text | Reasoning | ToolCall) for part in message.parts)
        and _ends_in_text(before)
    )


def _ends_in_text(message: Message) -> bool:
    """Return whether the sent parts of a message end in text."""
    for part in reversed(message.parts):
        if isinstance(part, Text | Attachment):
            return isinstance(part, Text)
    return False


def join_continuation(before: Message, message: Message) -> Message:
    """Return the two messages joined into the one that is sent, under the id of the first."""
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

    For reading a conversation: in the record, a sentence or a word may be split in two.
    """
    joined: list[Message] = []
    last_id = ""
    for message in messages:
        before = joined[-1] if joined else None
        if before is not None and before.id != last_id:
            before = replace(before, id=last_id)
        if before is not None and is_continuation_of(message, before):
            joined[-1] = join_continuation(joined[-1], message)
        else:
            joined.append(message)
        last_id = message.id
    return joined
