"""The session of a research: a record of its own, beside the conversation's, with the model that researches."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from msgspec.structs import replace

from desktop_app.chat.session import Session
from desktop_app.chat.stamp import stamp
from desktop_app.context.text_cuts import ends_of
from desktop_app.context.view.items import ItemKind
from desktop_app.context.view.view import View
from desktop_app.conversation.message import Message, Role, Text, user_message
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import AnyEntry, RequestContext

from .research_role import Researcher

MAX_MESSAGES, MAX_CHARACTERS = 6, 1_500
"""The newest messages that come along, and characters of each: enough to know what "it" means in a question."""
BEFORE = "[The last messages of the conversation, only to know what the question refers to:]"
QUESTION = "[The question:]"


class UnstoredRecord:
    """Fits the `EntryStore` port, and stores nothing; `keep` is called when a partial reply would be kept."""

    def __init__(self, keep: Callable[[Message], Awaitable[None]]) -> None:
        self._keep = keep

    async def append(self, conversation: str, *entries: AnyEntry) -> None:
        """Do nothing: the session has the entries."""

    async def store_partial(self, conversation: str, partial: Message) -> None:
        await self._keep(partial)

    async def set_archived(self, conversation: str, archived: Sequence[str], restored: Sequence[str]) -> None:
        """Do nothing: nobody searches here."""


def research_session(
    session: Session,
    who: Researcher,
    tools: tuple[ToolSpec, ...],
    question: str,
    earlier: str,
    keep: Callable[[Message], Awaitable[None]],
) -> Session:
    """Return the session in which that question is researched; it has the conversation's id, so that permissions and
    events are of the conversation. earlier: see `newest_words`."""
    asked = f"{BEFORE}\n{earlier}\n\n{QUESTION}\n{question}" if earlier else question
    system = Message(role=Role.SYSTEM, parts=(Text(who.system_prompt),))
    entries = (stamp(RequestContext(tools=tools)), stamp(system), stamp(user_message(asked)))
    # Room is made by dropping results, so that no summary is paid for.
    policy = replace(session.policy, phases=(), strategy="extractive", digest_by="rule")
    return Session(session.info, entries, who.model, policy, UnstoredRecord(keep))


def newest_words(view: View) -> str:
    """Return the newest words of the conversation, as a record."""
    said = [
        i.message for i in view.items if i.kind is ItemKind.MESSAGE and i.message.role in (Role.USER, Role.ASSISTANT)
    ]
    with_text = [message for message in said if message.text][-MAX_MESSAGES:]
    return "\n\n".join(f"{message.role.value}: {ends_of(message.text, MAX_CHARACTERS)}" for message in with_text)
