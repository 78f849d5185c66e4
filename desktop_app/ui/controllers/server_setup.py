"""Servers while they are set up: found, asked for their models, and tested. Lives as long as the sheet does."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from PySide6.QtCore import QObject
from shiboken6 import isValid

from desktop_app.conversation.model_servers import CheckStep
from desktop_app.engine import protocol as p
from desktop_app.settings import ServerKind
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.engine_texts import tr_engine

if TYPE_CHECKING:
    from desktop_app.ui.settings.server_form import ServerForm
    from desktop_app.ui.settings.settings_dialog import SettingsDialog

STEPS: tuple[CheckStep, ...] = get_args(CheckStep)


class ServerSetup(QObject):
    """Answers what the list of servers in the settings requests."""

    def __init__(self, bridge: Bridge, dialog: SettingsDialog) -> None:
        super().__init__(dialog)
        self._bridge, self._dialog = bridge, dialog
        self._tested: ServerForm | None = None
        dialog.find_requested.connect(self._find)
        dialog.proposals_requested.connect(self._propose)
        dialog.fetch_requested.connect(self._fetch)
        dialog.test_requested.connect(self._test)
        dialog.stop_requested.connect(self._stop)
        dialog.finished.connect(self._stop)

    @in_task
    async def _find(self) -> None:
        try:
            servers = (await self._bridge.ask(p.FindServers())).servers
        except EngineFailure as error:
            if isValid(self._dialog):
                self._dialog.servers.end_search(tr_engine(error.failure.title))
            return
        if isValid(self._dialog):  # else it was closed meanwhile
            self._dialog.servers.show_found(servers)

    @in_task
    async def _propose(self, kind: ServerKind) -> None:
        proposed = await self._bridge.ask(p.ProposeModels(kind))
        if isValid(self._dialog):
            self._dialog.servers.propose(kind, proposed.models)

    @in_task
    async def _fetch(self, form: ServerForm) -> None:
        listed = p.ServerModelsListed((), ())
        try:
            listed = await self._bridge.ask(p.ListServerModels(form.as_written(), *form.key_to_use()))
        finally:
            if isValid(form):
                form.show_fetched(listed.offers, listed.results)

    @in_task
    async def _test(self, form: ServerForm) -> None:
        """Take one step after the other, until one shows that the next ones would fail, or the user has enough."""
        if self._tested is not None and isValid(self._tested):
            self._tested.check_pane.end()
        self._tested = form
        server, model, keys = form.as_written(), form.models.current(), form.key_to_use()
        form.check_pane.begin()
        for step in STEPS:
            try:
                checked = await self._bridge.ask(p.CheckServer(server, model, step, *keys))
            except EngineFailure as error:
                if error.failure.kind != "cancelled":
                    raise
                break
            if self._tested is not form or not isValid(form):
                return
            form.check_pane.add(checked.results)
            if any(result.state == "bad" for result in checked.results):
                break
        if self._tested is form and isValid(form):
            self._tested = None
            form.check_pane.end()

    def _stop(self) -> None:
        form, self._tested = self._tested, None
        if form is not None:
            form.check_pane.end()
            self._bridge.post(p.StopCheck())
