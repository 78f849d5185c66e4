"""The controller of the page of policies."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from desktop_app.conversation.setup import OwnPolicy, effective_value
from desktop_app.engine import protocol as p
from desktop_app.settings import Settings
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.engine_texts import tr_engine
from desktop_app.ui.parts import Parts
from desktop_app.ui.translation import tr

from .controller import Controller
from .conversation_controller import ConversationController
from .settings_controller import SettingsController

if TYPE_CHECKING:
    from desktop_app.ui.policy.policy_sheet import PolicySheet


class PolicyController(Controller):
    """Shows what policies do, stores those of the user, and chooses one for a conversation or for all."""

    def __init__(
        self, bridge: Bridge, parts: Parts, chat: ConversationController, settings: SettingsController
    ) -> None:
        super().__init__(bridge, parts, chat)
        self._settings = settings
        self._sheet: PolicySheet | None = None
        self._is_opening = False
        settings.policies_requested.connect(self.open)
        parts.gauge.policy_requested.connect(self.open)

    @in_task
    async def open(self, field: str = "") -> None:
        """Show the policy of the open conversation. field: the one to be changed, if that is known."""
        from desktop_app.ui.policy.policy_sheet import PolicySheet

        if self._sheet is not None or self._is_opening:
            return
        self._is_opening = True
        try:
            settings = (await self._bridge.ask(p.ReadSettings())).settings
            listed = await self._bridge.ask(p.ListConversations())
        finally:
            self._is_opening = False
        given = {project.id: project.policy for project in listed.projects}
        policies = {
            one.id: effective_value(one.policy, given.get(one.project, ""), settings.policy).value
            for one in listed.conversations
        }
        conversation = self._chat.conversation
        title, chosen = self._parts.header.title if conversation else "", policies.get(conversation, settings.policy)
        sheet = self._sheet = PolicySheet(settings, chosen, title, Counter(policies.values()), self._parts)
        sheet.used.connect(lambda *choice: self._use(conversation, *choice))
        sheet.removed.connect(self._remove)
        sheet.tried.connect(lambda policy: self._try(sheet, conversation, policy))
        sheet.compared.connect(lambda *policies: self._compare(sheet, conversation, *policies))
        sheet.finished.connect(lambda: self.cancel(p.Computation.REPLAY, conversation))
        sheet.finished.connect(self._forget_sheet)
        await sheet.open_gradually()
        if field and sheet is self._sheet:
            sheet.take_focus_to(field)

    @in_task
    async def _try(self, sheet: PolicySheet, conversation: str, policy: OwnPolicy) -> None:
        tried = await self._bridge.ask(p.TryPolicy(conversation, policy))
        if sheet is self._sheet and sheet.draft() == policy:
            sheet.show_trial(tried)

    @in_task
    async def _compare(self, sheet: PolicySheet, conversation: str, before: OwnPolicy, after: OwnPolicy) -> None:
        try:
            replayed = await self._bridge.ask(p.ReplayPolicy(conversation, before, after))
        except EngineFailure as error:
            if sheet is self._sheet and error.failure.kind != "cancelled":  # a newer one comes instead
                sheet.show_past_failure(tr_engine(error.failure.title))
            return
        if sheet is self._sheet and sheet.draft() == after:
            sheet.show_past(before, after, replayed)

    @in_task
    async def _use(self, conversation: str, name: str, own: OwnPolicy | None, is_everywhere: bool) -> None:
        """Store the policy, and use it in all conversations or in that one."""

        def change(settings: Settings) -> Settings:
            if own is not None:
                others = tuple(one for one in settings.policies if one.name != name)
                settings = replace(settings, policies=(*others, own))
            return replace(settings, policy=name) if is_everywhere else settings

        await self._settings.change(change)
        if conversation:
            await self._bridge.ask(p.ChoosePolicy(conversation, "" if is_everywhere else name))
        all_of_them, one = tr("“{name}” is used in all conversations."), tr("“{name}” is used in this conversation.")
        told = (all_of_them if is_everywhere else one).format(name=name)
        self._parts.toast.show_message(told, about="" if is_everywhere else conversation)

    @in_task
    async def _remove(self, name: str) -> None:
        """Delete a policy of the user's; what used it uses that of the settings, or the default."""

        def change(settings: Settings) -> Settings:
            policies = tuple(one for one in settings.policies if one.name != name)
            return replace(
                settings, policies=policies, policy="balanced" if settings.policy == name else settings.policy
            )

        await self._settings.change(change)
        self._parts.toast.show_message(tr("“{name}” was deleted.").format(name=name))

    def _forget_sheet(self) -> None:
        if self._sheet is not None:
            self._sheet.deleteLater()
        self._sheet = None
