"""The table of the window's actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Role
from desktop_app.conversation.words import translatable
from desktop_app.settings import Theme

from .actions import WindowAction
from .composer.attach_controller import AttachController
from .context_panel.context_controller import ContextController, PolicyController
from .header_controller import ModelController, SetupController
from .importing.import_controller import ExportController, ImportController
from .insights.insights_controller import InsightsController
from .palette.command_controller import CommandController
from .projects.project_controller import ProjectController
from .request_view.request_controller import RequestController
from .settings.data_controller import DataController
from .settings.settings_controller import AboutController, SettingsController
from .sidebar.listing_controller import FindController, ListingController
from .tools.tools_controller import ToolsController
from .transcript.conversation_controller import ConversationController
from .transcript.recovery_controller import QuestionController, RecoveryController
from .translation import tr
from .window_layout import WindowLayout

ALL, OPEN = translatable("Conversations"), translatable("This conversation")
REPLY, CONTEXT, WINDOW = translatable("Messages and replies"), translatable("Context"), translatable("Window")
TABS = {
    "breakdown": (translatable("Show breakdown"), translatable("what fills the window")),
    "history": (translatable("Show history"), translatable("every operation")),
    "pins": (translatable("Show pins"), translatable("pinned messages")),
    "memory": (translatable("Show memory"), translatable("what is remembered")),
}
THEMES: dict[Theme, str] = {
    "dark": translatable("Dark theme"),
    "light": translatable("Light theme"),
    "system": translatable("Theme of the system"),
}


@dataclass(frozen=True)
class WindowControllers:
    """The controllers that carry the actions out."""

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
    models: ModelController
    setup: SetupController
    importing: ImportController
    data: DataController
    about: AboutController
    projects: ProjectController


def window_actions(parts: WindowLayout, use: WindowControllers) -> tuple[WindowAction, ...]:
    """Return all actions of the window; they are defined only in this module."""
    return (
        *_conversation_actions(parts, use),
        *_arranging_actions(parts, use),
        *_project_actions(use),
        *_reply_actions(parts, use),
        *_context_actions(parts, use),
        *_view_actions(parts, use),
    )


def _conversation_actions(parts: WindowLayout, use: WindowControllers) -> tuple[WindowAction, ...]:
    chat, listing = use.chat, use.listing

    def is_open() -> object:
        return chat.conversation

    def has_messages() -> object:
        return chat.conversation and not parts.transcript_model.is_blank

    def is_idle() -> object:
        return has_messages() and not parts.transcript_model.is_running

    def filter_list() -> None:
        parts.sidebar.show()
        parts.sidebar.filter.setFocus()

    def offer_orders() -> None:
        parts.sidebar.show()
        parts.sidebar.offer_orders()

    def rename() -> None:
        (parts.sidebar.list if parts.sidebar.list.hasFocus() else parts.header).rename()

    return (
        WindowAction(translatable("New conversation"), ALL, translatable("begin without messages"),
                     chat.open_new, ("Ctrl+N",)),
        WindowAction(translatable("Search everything"), ALL, translatable("all messages of all conversations"),
                     listing.open_search, ("Ctrl+K",)),
        WindowAction(translatable("Filter conversations"), ALL, translatable("by words of their titles"),
                     filter_list, ("Ctrl+Shift+F",)),
        WindowAction(translatable("Show or hide archived conversations"), ALL, "", parts.sidebar.toggle_put_away),
        WindowAction(translatable("Deleted conversations…"), ALL, translatable("restore one"), listing.open_deleted),
        WindowAction(translatable("Sort conversations…"), ALL, translatable("by activity, title or messages"),
                     offer_orders),
        *_finding_actions(parts, use, has_messages),
        WindowAction(translatable("Import conversations…"), ALL, translatable("of other programs"),
                     use.importing.open),
        WindowAction(translatable("Rename conversation"), OPEN, translatable("another title"),
                     rename, ("F2",), is_open, menu_part=1),
        WindowAction(translatable("New conversation with a persona…"), ALL, translatable("with what you saved as one"),
                     use.setup.offer_personas),
        WindowAction(translatable("Conversation settings…"), OPEN,
                     translatable("its system prompt, parameters, folder, policy and tools"),
                     use.setup.open, ("Ctrl+Shift+I",), is_open, menu_part=2),
        WindowAction(translatable("Choose a model…"), OPEN, translatable("for this conversation"),
                     use.models.offer, ("Ctrl+M",), is_open, menu_part=2),
        WindowAction(translatable("Choose a working folder…"), OPEN, translatable("where tools work"),
                     use.tools.offer_folder, (), is_open, menu_part=2),
        WindowAction(translatable("Choose tools…"), OPEN, translatable("what the model may call"),
                     use.tools.open, ("Ctrl+Shift+T",), is_open, menu_part=2),
        WindowAction(translatable("Shorten tool results only…"), OPEN,
                     translatable("old ones; no message leaves"), use.context.shorten_results, (), is_idle),
        WindowAction(translatable("Start fresh with a summary…"), OPEN,
                     translatable("a new conversation; this one stays"),
                     use.context.start_fresh, (), is_idle, menu_part=3),
        WindowAction(translatable("Export conversation…"), OPEN, translatable("write it to a file"),
                     use.export.open, ("Ctrl+Shift+E",), has_messages, menu_part=3),
    )  # fmt: skip


def _arranging_actions(parts: WindowLayout, use: WindowControllers) -> tuple[WindowAction, ...]:
    listing = use.listing

    def infos() -> list[ConversationInfo]:
        found = (parts.sidebar.list.conversations.info_of(name) for name in listing.targets())
        return [info for info in found if info is not None]

    def pin() -> None:
        listing.pin(listing.targets(), not infos()[0].is_pinned)

    def put_away() -> None:
        listing.put_away(listing.targets(), not infos()[0].is_put_away)

    def pin_label() -> str:
        return tr("Unpin conversation") if infos() and infos()[0].is_pinned else tr("Pin conversation")

    def archive_label() -> str:
        return tr("Unarchive conversation") if infos() and infos()[0].is_put_away else tr("Archive conversation")

    def duplicate() -> None:
        listing.duplicate(infos()[0].id)

    def can_be_duplicated() -> object:
        return len(infos()) == 1 and infos()[0].messages

    return (
        WindowAction(translatable("Duplicate conversation"), OPEN, translatable("a copy that continues on its own"),
                     duplicate, ("Ctrl+Shift+D",), can_be_duplicated, menu_part=3),
        WindowAction(translatable("Pin or unpin conversation"), OPEN, translatable("at the top of the list"),
                     pin, ("Ctrl+D",), infos, menu_part=1, label=pin_label),
        WindowAction(translatable("Move to project…"), OPEN, translatable("an existing one, a new one, or none"),
                     lambda: use.projects.choose_for(listing.targets()), ("Ctrl+Shift+S",), infos, menu_part=1),
        WindowAction(translatable("Archive or unarchive"), OPEN, translatable("out of the list; nothing is deleted"),
                     put_away, ("Ctrl+Shift+H",), infos, menu_part=1, label=archive_label),
        WindowAction(translatable("Delete conversation"), OPEN, translatable("can be undone"),
                     lambda: listing.delete(listing.targets()), (), infos, menu_part=4),
    )  # fmt: skip


def _finding_actions(
    parts: WindowLayout, use: WindowControllers, has_messages: Callable[[], object]
) -> tuple[WindowAction, ...]:
    def is_finding() -> object:
        return parts.find_bar.isVisible() or parts.hit_bar.isVisible()

    def step(by: int) -> None:
        bar = parts.find_bar if parts.find_bar.isVisible() else parts.hit_bar
        (bar.next if by > 0 else bar.previous).click()

    return (
        WindowAction(translatable("Find in this conversation"), OPEN, translatable("in all its messages"),
                     use.find.open, ("Ctrl+F",), has_messages, menu_part=3),
        WindowAction(translatable("Find next"), OPEN, translatable("the next place with the text"),
                     lambda: step(1), ("F3",), is_finding),
        WindowAction(translatable("Find previous"), OPEN, translatable("the previous place with the text"),
                     lambda: step(-1), ("Shift+F3",), is_finding),
    )  # fmt: skip


def _project_actions(use: WindowControllers) -> tuple[WindowAction, ...]:
    projects = use.projects
    return (
        WindowAction(translatable("New project…"), ALL, translatable("conversations with something in common"),
                     projects.make),
        WindowAction(translatable("Go to project…"), ALL, translatable("by its name"),
                     projects.choose_to_open, ("Ctrl+Shift+J",), projects.has_some),
        WindowAction(translatable("New conversation in…"), ALL, translatable("a project, by its name"),
                     projects.choose_to_begin, ("Ctrl+Shift+N",), projects.has_some),
        WindowAction(translatable("Project settings…"), OPEN, translatable("of this conversation’s project"),
                     projects.open_settings, (), projects.is_in_one, menu_part=2),
    )  # fmt: skip


def _reply_actions(parts: WindowLayout, use: WindowControllers) -> tuple[WindowAction, ...]:
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

    def newest_reply() -> str:
        texts = (row.message.text for row in reversed(model.rows) if row.message.role is Role.ASSISTANT)
        return next(filter(None, texts), "")

    def jump_to_end() -> None:
        parts.show_chat()
        parts.transcript.follow_end()

    return (
        WindowAction(translatable("Write a message"), REPLY, translatable("move the keyboard focus there"),
                     write, ("Ctrl+L",)),
        WindowAction(translatable("Attach files…"), REPLY, translatable("to the next message"),
                     use.attach.choose_files, ("Ctrl+Shift+A",)),
        WindowAction(translatable("Stop the reply"), REPLY, translatable("what has arrived is kept"),
                     use.questions.escape, ("Esc",), is_running, is_everywhere=False),  # Escape has other uses too
        WindowAction(translatable("Regenerate the reply"), REPLY, translatable("the earlier one is kept"),
                     chat.regenerate, (), is_answered),
        WindowAction(translatable("Edit your newest message"), REPLY,
                     translatable("and send it again; the version that was sent is kept"),
                     edit, ("Ctrl+E",), is_answered),
        WindowAction(translatable("Copy the newest reply"), REPLY, translatable("as Markdown"),
                     lambda: parts.transcript.copy(newest_reply(), tr("Reply copied")), (), newest_reply),
        WindowAction(translatable("Jump to the newest message"), REPLY, translatable("the end of the conversation"),
                     jump_to_end, (), is_answered),
    )  # fmt: skip


def _context_actions(parts: WindowLayout, use: WindowControllers) -> tuple[WindowAction, ...]:
    panel = parts.panel

    def show_tab(name: str) -> None:
        parts.show_chat()
        panel.show()
        panel.show_tab(name)

    tabs = [WindowAction(name, CONTEXT, about, partial(show_tab, tab)) for tab, (name, about) in TABS.items()]
    return (
        WindowAction(translatable("Optimize conversation…"), CONTEXT, translatable("see what would change"),
                     use.context.optimize, ("Ctrl+Shift+O",), lambda: use.chat.conversation),
        WindowAction(translatable("Show or hide the context panel"), CONTEXT, "",
                     parts.panel_pane.toggle, ("Ctrl+.",)),
        WindowAction(translatable("Making room: choose a policy…"), CONTEXT,
                     translatable("every number, and what it would do"),
                     use.policies.open, ("Ctrl+Shift+M",)),
        WindowAction(translatable("View the request"), CONTEXT,
                     translatable("what the model gets, part by part; or the chat again"),
                     use.request.toggle, ("Ctrl+Shift+X",), lambda: use.chat.conversation,
                     button=parts.header.views),
        WindowAction(translatable("Undo the newest operation"), CONTEXT,
                     translatable("what it archived or shortened is in the request again"),
                     lambda: panel.requests.undo_requested.emit(panel.history.newest_undoable()), (),
                     panel.history.newest_undoable),
        *tabs,
        WindowAction(translatable("Insights"), CONTEXT, translatable("what this conversation has used, or all of them"),
                     use.insights.toggle, ("Ctrl+I",)),
    )  # fmt: skip


def _view_actions(parts: WindowLayout, use: WindowControllers) -> tuple[WindowAction, ...]:
    commands = use.commands
    regions = (parts.sidebar.list, parts.transcript, parts.composer.field, parts.panel.tabs.button("breakdown"))

    def go_to_next_region() -> None:
        visible = [widget for widget in regions if widget.isVisible()]
        now = next((n for n, widget in enumerate(visible) if widget.hasFocus()), -1)
        if visible:  # none is visible on another page of a narrow window
            visible[(now + 1) % len(visible)].setFocus(Qt.FocusReason.TabFocusReason)

    return (
        WindowAction(translatable("Next region"), WINDOW, translatable("list, messages, composer, panel"),
                     go_to_next_region, ("F6",)),
        WindowAction(translatable("Show or hide the conversations"), WINDOW, translatable("the sidebar"),
                     parts.sidebar_pane.toggle, ("Ctrl+B",)),
        WindowAction(translatable("Larger text"), WINDOW, translatable("in the whole window"),
                     lambda: use.settings.resize_text(1), ("Ctrl++", "Ctrl+=")),
        WindowAction(translatable("Smaller text"), WINDOW, translatable("in the whole window"),
                     lambda: use.settings.resize_text(-1), ("Ctrl+-",)),
        WindowAction(translatable("Usual text size"), WINDOW, translatable("in the whole window"),
                     lambda: use.settings.resize_text(0), ("Ctrl+0",)),
        *(WindowAction(name, WINDOW, translatable("the look of the window"), partial(use.settings.use_theme, theme))
          for theme, name in THEMES.items()),
        WindowAction(translatable("Settings…"), WINDOW, translatable("servers, models, summaries, look"),
                     use.settings.open, ("Ctrl+,",)),
        WindowAction(translatable("Data and backups…"), WINDOW, translatable("where it is, restore, what takes space"),
                     use.data.open),
        WindowAction(translatable("Back up now"), WINDOW, translatable("a checked copy of everything that was said"),
                     use.data.back_up),
        WindowAction(translatable("Commands…"), WINDOW, translatable("every action by its name"),
                     commands.open_palette, ("Ctrl+Shift+P",)),
        WindowAction(translatable("Quit"), WINDOW, translatable("drafts and edits are kept"),
                     parts.close, ("Ctrl+Q",)),
        WindowAction(translatable("Show the log…"), WINDOW,
                     translatable("what was done to make room, without any message text"),
                     commands.show_log),
        WindowAction(translatable("About Palimpsest"), WINDOW, translatable("versions, folders, licences of all parts"),
                     use.about.open),
        WindowAction(translatable("Keyboard shortcuts"), WINDOW, translatable("every key"),
                     commands.open_shortcuts, ("F1", "Ctrl+/")),
    )  # fmt: skip
