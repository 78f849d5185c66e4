"""Before each request the archive is searched for what the user's message refers to, and the view has no more (S9)."""

from __future__ import annotations

from collections.abc import Callable

from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Recalled
from desktop_app.settings import Settings

from .recall import RecallArchive, as_text, recalled_unasked

LEAST = 500
"""Tokens. Below about 32,000 of window less than this would be left: too little to be worth a request's growth."""
HEADING = "[Earlier in this conversation, from the archive; it may or may not matter here:]"


class AutoRecall:
    """Brings back what a message refers to. settings: as they are now."""

    def __init__(self, archive: RecallArchive, settings: Callable[[], Settings]) -> None:
        self._archive = archive
        self._settings = settings

    async def of(self, session: Session, message: Message) -> Recalled | None:
        """What the archive holds about that message; None if nothing is worth bringing back. The message goes out
        without it where the archive cannot be searched."""
        policy, usable = session.policy, session.budget.usable
        most = min(policy.recall_most, round(usable * policy.recall_unasked_share))
        if not self._settings().is_recalling or most < LEAST:
            return None
        entries = [entry for entry in session.transcript.entries if isinstance(entry, Recalled)]
        here = {i for entry in entries for i in entry.message_ids if entry.for_message_id not in session.view.statuses}
        try:
            found = await recalled_unasked(self._archive, session.id, message.text, most, session.counts.text, here)
        except WorldError:
            return None
        if found is None:
            return None
        return Recalled(for_message_id=message.id, text=f"{HEADING}\n{as_text(found)}", message_ids=found.message_ids)
