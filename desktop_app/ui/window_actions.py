"""The table of the window's actions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt

from desktop_app.conversation.listing import ConversationInfo

from .actions import WindowAction
from .attach_controller import AttachController
from .command_controller import CommandController
from .context_controller import ContextController
from .conversation_controller import ConversationController
from .export_controller import ExportController
from .find_controller import FindController
from .insights_controller import InsightsController
from .listing_controller import ListingController
from .parts import Parts
from .policy_controller import PolicyController
from .question_controller import QuestionController
from .recovery_controller import RecoveryController
from .request_controller import RequestController
from .settings_controller import SettingsController
from .tools_controller import ToolsController

ALL, OPEN, REPLY = "Conversations", "This conversation", "Messages and replies"
CONTEXT, WINDOW = "Context", "Window"
TABS = {"breakdown": "what fills the window", "history": "every operation", "pins": "pinned messages",
        "memory": "what is remembered"}  # fmt: skip


@dataclass(frozen=True)
class WindowControllers:
    """What carries the actions out."""

    chat: ConversationController
    listing: ListingController
    context: ContextController
    settings: SettingsController
    questions: QuestionController
    export: ExportController
    tools: ToolsController
    attach: AttachController
    insights: InsightsController
    commands: CommandController
    policies: PolicyController
    request: RequestController
    find: FindController
    recovery: RecoveryController


def window_actions(parts: Parts, use: WindowControllers) -> tuple[WindowAction, ...]:
    """Return all actions; each is written down here and nowhere else."""
    return (
        *_conversation_actions(parts, use),
        *_reply_actions(parts, use),
        *_context_actions(parts, use),
        *_view_actions(parts, use),
    )


def _conversation_actions(parts: Parts, use: WindowControllers) -> tuple[WindowAction, ...]:
    chat, listing = use.chat, use.listing

    def is_open() -> object:
        return chat.conversation

    def has_messages() -> object:
        return chat.conversation and not parts.transcript_model.is_blank

    def is_idle() -> object:
        return has_messages() and not parts.transcript_model.is_running

    def infos() -> list[ConversationInfo]:
        found = (parts.sidebar.list.conversations.info_of(name) for name in listing.targets())
        return [info for info in found if info is not None]

    def pin() -> None:
        listing.pin(listing.targets(), not infos()[0].is_pinned)

    def put_away() -> None:
        listing.put_away(listing.targets(), not infos()[0].is_put_away)

    def duplicate() -> None:
        listing.duplicate(infos()[0].id)

    def can_be_duplicated() -> object:
        return len(infos()) == 1 and infos()[0].messages

    def rename() -> None:
        (parts.sidebar.list if parts.sidebar.list.hasFocus() else parts.header).rename()

    return (
        WindowAction("New conversation", ALL, "begin without messages", chat.open_new, ("Ctrl+N",)),
        WindowAction("Search everything", ALL, "all messages of all conversations",
                     listing.open_search, ("Ctrl+K",)),
        WindowAction("Filter conversations", ALL, "by words of their titles", parts.sidebar.filter.setFocus,
                     ("Ctrl+Shift+F",)),
        WindowAction("Show or hide what was put away", ALL, "", parts.sidebar.toggle_put_away),
        WindowAction("Sort conversations…", ALL, "by activity, title or messages", parts.sidebar.offer_orders),
        WindowAction("Find in this conversation", OPEN, "in all its messages",
                     use.find.open, ("Ctrl+F",), has_messages),
        WindowAction("Find next", OPEN, "the next message with the text",
                     parts.find_bar.next.click, ("F3",), parts.find_bar.isVisible),
        WindowAction("Find previous", OPEN, "the message before with the text",
                     parts.find_bar.previous.click, ("Shift+F3",), parts.find_bar.isVisible),
        WindowAction("Import conversations…", ALL, "from files", listing.choose_import),
        WindowAction("Rename conversation", OPEN, "another title", rename, ("F2",), is_open),
        WindowAction("Choose a model…", OPEN, "for this conversation",
                     use.settings.offer_models, (), is_open),
        WindowAction("Choose a working folder…", OPEN, "where tools work",
                     use.tools.offer_folder, (), is_open),
        WindowAction("Choose tools…", OPEN, "what the model may call",
                     use.tools.open, ("Ctrl+Shift+T",), is_open),
        WindowAction("Start fresh with the summary", OPEN, "a new conversation; this one stays",
                     chat.start_fresh, (), is_idle),
        WindowAction("Export conversation…", OPEN, "write it to a file",
                     use.export.open, ("Ctrl+Shift+E",), has_messages),
        WindowAction("Duplicate conversation", OPEN, "a copy that goes on by itself",
                     duplicate, ("Ctrl+Shift+D",), can_be_duplicated),
        WindowAction("Pin or unpin conversation", OPEN, "at the top of the list", pin, ("Ctrl+D",), infos),
        WindowAction("Move to section…", OPEN, "of the list", lambda: listing.choose_section(listing.targets()),
                     ("Ctrl+Shift+S",), infos),
        WindowAction("Put away or take back", OPEN, "out of the list; nothing is deleted",
                     put_away, ("Ctrl+Shift+H",), infos),
        WindowAction("Delete conversation", OPEN, "can be undone",
                     lambda: listing.delete(listing.targets()), (), infos),
    )  # fmt: skip


def _reply_actions(parts: Parts, use: WindowControllers) -> tuple[WindowAction, ...]:
    chat, model = use.chat, parts.transcript_model

    def is_running() -> object:
        return model.is_running

    def write() -> None:
        parts.show_chat()
        parts.composer.take_focus()

    def edit() -> None:
        parts.show_chat()
        use.recovery.edit_message()

    def is_answered() -> object:
        return chat.conversation and not model.is_blank and not model.is_running

    return (
        WindowAction("Write a message", REPLY, "put the keyboard there", write, ("Ctrl+L",)),
        WindowAction("Attach files…", REPLY, "to the next message", use.attach.choose_files, ("Ctrl+Shift+A",)),
        WindowAction("Stop the reply", REPLY, "what has arrived is kept", use.questions.escape, ("Esc",),
                     is_running, parts.chat_pane),  # elsewhere Escape has other meanings
        WindowAction("Regenerate the reply", REPLY, "the earlier one is kept", chat.regenerate, (), is_answered),
        WindowAction("Edit your newest message", REPLY, "and send it again; the version that was sent is kept",
                     edit, ("Ctrl+E",), is_answered),
    )  # fmt: skip


def _context_actions(parts: Parts, use: WindowControllers) -> tuple[WindowAction, ...]:
    panel = parts.panel

    def toggle_panel() -> None:
        panel.setVisible(not panel.isVisible())

    def show_tab(name: str) -> None:
        parts.show_chat()
        panel.show()
        panel.show_tab(name)

    tabs = [WindowAction(f"Show {name}", CONTEXT, about, partial(show_tab, name)) for name, about in TABS.items()]
    return (
        WindowAction("Optimize conversation…", CONTEXT, "see what would be compacted", use.context.optimize,
                     ("Ctrl+Shift+O",), lambda: use.chat.conversation),
        WindowAction("Show or hide the context panel", CONTEXT, "", toggle_panel, ("Ctrl+.",)),
        WindowAction("Making room: the policy…", CONTEXT, "every number, and what it would do", use.policies.open,
                     ("Ctrl+Shift+M",)),
        WindowAction("X-ray: what the model gets", CONTEXT, "the request part by part, or the chat again",
                     use.request.toggle, ("Ctrl+Shift+X",), lambda: use.chat.conversation),
        *tabs,
        WindowAction("Insights", CONTEXT, "what this conversation took, or all of them", use.insights.toggle,
                     ("Ctrl+I",)),
    )  # fmt: skip


def _view_actions(parts: Parts, use: WindowControllers) -> tuple[WindowAction, ...]:
    commands = use.commands
    regions = (parts.sidebar.list, parts.transcript, parts.composer.field, parts.panel.tabs.button("breakdown"))

    def go_to_next_region() -> None:
        shown = [widget for widget in regions if widget.isVisible()]
        now = next((n for n, widget in enumerate(shown) if widget.hasFocus()), -1)
        shown[(now + 1) % len(shown)].setFocus(Qt.FocusReason.TabFocusReason)

    return (
        WindowAction("Next region", WINDOW, "list, messages, composer, panel", go_to_next_region, ("F6",)),
        WindowAction("Settings…", WINDOW, "servers, models, summaries, look", use.settings.open, ("Ctrl+,",)),
        WindowAction("Commands…", WINDOW, "every action by its name", commands.open_palette, ("Ctrl+Shift+P",)),
        WindowAction("Show the log…", WINDOW, "what was done to make room, without a word of it", commands.show_log),
        WindowAction("Keyboard shortcuts", WINDOW, "every key", commands.open_shortcuts, ("F1", "Ctrl+/")),
    )
