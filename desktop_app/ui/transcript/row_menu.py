"""What the menu of a row offers."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.conversation.events import MessageState
from desktop_app.conversation.message import Role
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr

from .display_list import Action, HitRegion
from .items import Item, MessageItem
from .row_builder import ActionLink
from .row_text import SPEAKERS, actions_of

LABELS = {
    Action.COPY: translatable("Copy message"),
    Action.EDIT_MESSAGE: translatable("Edit and send again"),
    Action.EARLIER: Action.EARLIER.value,
    Action.LATER: Action.LATER.value,
}
"""What actions are called where the message is not in sight beside them."""
LEFT_OUT = (Action.COPY_CODE, Action.SAVE_CODE, Action.MORE)


def menu_of(item: Item, regions: Sequence[HitRegion]) -> list[ActionLink]:
    """Return what can be done with a row: what it shows, whether or not there is room for it, and more."""
    offered = {(link.action, link.argument): link.label for link in _message_actions(item)}
    offered |= {
        (hot.action, hot.argument): hot.words.text if hot.words else tr("Expand or collapse") for hot in regions
    }
    shown = {what: label for what, label in offered.items() if what[0] not in LEFT_OUT}
    return [ActionLink(*what, tr(LABELS[what[0]]) if what[0] in LABELS else label) for what, label in shown.items()]


def _message_actions(item: Item) -> list[ActionLink]:
    if not isinstance(item, MessageItem):
        return []
    key = item.row.message.id
    is_sent = item.row.state in (MessageState.IN_VIEW, MessageState.PRUNED)
    seen = [ActionLink(Action.SHOW_REQUEST, key)] if item.row.message.role is Role.ASSISTANT else []
    seen += [ActionLink(Action.SHOW_IN_REQUEST, key)] if is_sent else []
    forks = [ActionLink(Action.FORK, key)] if item.row.message.role in SPEAKERS else []
    exports = [ActionLink(Action.EXPORT_FROM, key), ActionLink(Action.EXPORT_TO, key)] if forks else []
    return [*actions_of(item), *forks, *exports, *seen, ActionLink(Action.READ, item.key)]
