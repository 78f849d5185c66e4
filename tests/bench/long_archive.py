"""An archive with long conversations, and with many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from desktop_app.archive.store import Store
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text
from desktop_app.conversation.transcript import AnyEntry, Compaction, Trigger

CONVERSATIONS = 5_000
FULL, KEPT = 1_500, 200
"""Messages in the view when it is compacted, and behind that."""
MEGABYTE, CODE_LINES = 1_000_000, 5_000


def message(conversation: str, n: int) -> Message:
    """Two kinds in turn, with a list and code in each tenth."""
    text = f"Message {n}: the file src/part{n % 97}/module_{n}.py was changed because of ticket T-{n}. " + (
        f"It now reads `setting_{n % 31}` and writes **report_{n % 13}.csv**, as we agreed on day {n % 29}. " * 2
    )
    if n % 10 == 1:
        text += f"\n\n- one\n- two of {n}\n\n```python\ndef part_{n}(x):\n    return x * {n}\n```\n"
    role = Role.ASSISTANT if n % 2 else Role.USER
    return Message(id=f"{conversation}-m{n}", at=1e9 + n, role=role, parts=(Text(text),))


def compacted(said: Iterable[Message]) -> Iterator[AnyEntry]:
    """Yield the messages, with a compaction whenever the view is full."""
    shown: list[str] = []
    for one in said:
        yield one
        shown.append(one.id)
        if len(shown) == FULL:
            archived, shown = tuple(shown[:-KEPT]), shown[-KEPT:]
            yield Compaction(
                id=f"{one.id}-room",
                at=one.at,
                trigger=Trigger.BEFORE_REQUEST,
                strategy="extractive",
                archived=archived,
                summary="What was said until then. " * 50,
            )


def write_archive(file: Path, messages: int, is_compacted: bool = False) -> None:
    """A conversation of that many, one of a megabyte, one with much code, a short one, and thousands of one message.

    is_compacted: room was made in the first one whenever a window of some 150,000 tokens was full.
    """
    store = Store(file)
    code = "\n".join(f"    value_{n} = compute(value_{n - 1}, {n})  # step {n}" for n in range(CODE_LINES))
    paragraph = "A long answer has **many** words, and `code` between them, as those of models have. " * 8 + "\n\n"
    large = paragraph * (MEGABYTE // len(paragraph))
    long = [message("long", n) for n in range(messages)]
    whole: dict[str, list[AnyEntry]] = {
        "short": [message("short", n) for n in range(4)],
        "long": list(compacted(long)) if is_compacted else [*long],
        "large": [message("large", 0), _reply("large", large)],
        "code": [message("code", 0), _reply("code", f"```python\n{code}\n```")],
    }
    for name, said in whole.items():
        count = sum(isinstance(entry, Message) for entry in said)
        store.create(ConversationInfo(name, name, 2e9, 2e9, count), said)
    for n in range(CONVERSATIONS):
        store.create(ConversationInfo(f"c{n}", f"Conversation {n}", 1e9 + n, 1e9 + n), [message(f"c{n}", n)])
    store.close()


def _reply(conversation: str, text: str) -> Message:
    return Message(id=f"{conversation}-reply", role=Role.ASSISTANT, parts=(Text(text),))
