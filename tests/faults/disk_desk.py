"""An engine on a disk that can fail, and what it acknowledged."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

from killed import AllTold, check_data, settings_of
from shim import FailingDisk

from desktop_app.conversation.events import Failure, MessageRecorded, TurnEvent, TurnFailed, TurnFinished
from desktop_app.engine import protocol as p
from desktop_app.paths import settings_file
from desktop_app.settings import write_settings
from engine_client import EngineClient, Refused


class Desk:
    """An engine on the failing disk, and what it acknowledged. told: failures by their titles."""

    def __init__(self, folder: Path, base_url: str) -> None:
        self.data, work = folder / "data", folder / "work"
        work.mkdir(parents=True)
        write_settings(settings_file(self.data), settings_of(base_url, work))
        self.disk = FailingDisk(self.data, folder / "control")
        self.engine = EngineClient(self.data, is_forked=False, environment=self.disk.environment)
        self.failures: Counter[str] = Counter()
        self._acknowledged = AllTold()
        self._heard = self._number = 0

    async def start(self) -> None:
        await self.engine.start()
        self.conversation = (await self.engine.ask(p.CreateConversation())).conversation.id
        await self.goes_on()

    async def turn(self, scene: str) -> list[TurnEvent]:
        """What came of a turn: the events, or one that says why it did not begin."""
        self._number += 1
        text = f"Please go on. [d{self._number} {scene}]"
        start = len(self.engine.events)
        try:
            await self.engine.ask(p.Send(self.conversation, text))
        except Refused as error:
            self._note(error.failure)
            return [TurnFailed(self.conversation, error.failure)]
        await self.engine.until(lambda events: any(isinstance(e, TurnFinished) for e in events[start:]))
        return self.engine.events[start:]

    async def failing_turn(self, scene: str) -> bool:
        """A turn that may fail, if it says so; return whether it did."""
        failed = [event for event in await self.turn(scene) if isinstance(event, TurnFailed)]
        for event in failed:
            self._note(event.failure)
        return bool(failed)

    def _note(self, failure: Failure) -> None:
        assert failure.kind == "disk", failure
        assert all((failure.title, failure.kept, failure.advice)), failure
        self.failures[failure.title] += 1

    async def goes_on(self) -> None:
        """The next turn is as if nothing had been, and all that was acknowledged is there."""
        events = await self.turn("next")
        assert not [event for event in events if isinstance(event, TurnFailed)], events
        replies = [event.row.message.text for event in events if isinstance(event, MessageRecorded)]
        assert f"Here I am again, d{self._number}." in replies
        while (opened := await self.engine.ask(p.OpenConversation(self.conversation))).is_running or opened.queue:
            await asyncio.sleep(0.05)  # what could not be stored has waited, and is sent now
        for event in self.engine.events[self._heard :]:
            if event.conversation:
                self._acknowledged.hear(event)
        self._heard = len(self.engine.events)
        self._acknowledged.check(check_data(self.data), is_late=True)
