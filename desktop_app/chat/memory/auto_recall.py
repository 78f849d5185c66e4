"""Search the archive before each request for what the user's message refers to and the view no longer has (S9)."""

from __future__ import annotations

from collections.abc import Callable

from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Recalled
from desktop_app.settings import Settings

from .recall import RecallArchive, as_text, recall_unasked

MIN_TOKENS = 500
"""Less, as in windows below about 32,000, is not worth a longer request."""
HEADING = "[Earlier in this conversation, from the archive; it may or may not matter here:]"


class AutoRecall:
    """Finds what a message refers to. settings: returns the current ones."""

    def __init__(self, archive: RecallArchive, settings: Callable[[], Settings]) -> None:
        self._archive = archive
        self._settings = settings

    async def find(self, session: Session, message: Message) -> Recalled | None:
        """Return what the archive holds about a message; None if nothing is worth it, or the archive cannot be read."""
        policy, usable = session.policy, session.budget.usable
        budget = min(policy.recall_most, round(usable * policy.recall_unasked_share))
        if not self._settings().is_recalling or budget < MIN_TOKENS:
            return None
        entries = [entry for entry in session.transcript.entries if isinstance(entry, Recalled)]
        here = {i for entry in entries for i in entry.message_ids if entry.for_message_id not in session.view.statuses}
        try:
            found = await recall_unasked(self._archive, session.id, message.text, budget, session.counts.text, here)
        except WorldError:
            return None
        if found is None:
            return None
        return Recalled(for_message_id=message.id, text=f"{HEADING}\n{as_text(found)}", message_ids=found.message_ids)
