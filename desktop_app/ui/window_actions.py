"""The table of the window's actions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from desktop_app.conversation.words import translatable
from desktop_app.settings import Theme

from .actions import WindowAction
from .composer.attach_controller import AttachController
from .context_panel.context_controller import ContextController, OutlineController, PolicyController
from .header import Header
from .header_controller import ModelController, SetupController
from .importing.import_controller import ExportController, ImportController
from .insights.insights_controller import InsightsController
from .palette.command_controller import CommandController
from .panes import DrawerPane
from .projects.project_controller import ProjectController
from .request_view.request_controller import RequestController
from .settings.data_controller import DataController
from .settings.settings_controller import AboutController, SettingsController
from .sidebar.listing_controller import FindController, ListingController
from .sidebar.sidebar import Sidebar
from .tools.tools_controller import ToolsController
from .transcript.conversation_controller import ConversationController
from .transcript.recovery_controller import QuestionController, RecoveryController
from .transcript.transcript_widget import TranscriptWidget

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


def listing_actions(
    chat: ConversationController, listing: ListingController, sidebar: Sidebar
) -> tuple[WindowAction, ...]:
    """Return the actions on the list of conversations."""
    return (
        WindowAction(translatable("New conversation"), ALL, translatable("begin without messages"),
                     chat.open_new, ("Ctrl+N",)),
        WindowAction(translatable("Search everything"), ALL, translatable("all messages of all conversations"),
                     listing.open_search, ("Ctrl+K",)),
        WindowAction(translatable("Filter conversations"), ALL, translatable("by words of their titles"),
                     sidebar.open_filter, ("Ctrl+Shift+F",)),
        WindowAction(translatable("Show or hide archived conversations"), ALL, "", sidebar.toggle_put_away),
        WindowAction(translatable("Deleted conversations…"), ALL, translatable("restore one"), listing.open_deleted),
        WindowAction(translatable("Sort conversations…"), ALL, translatable("by activity, title or messages"),
                     sidebar.offer_orders),
    )  # fmt: skip


def finding_actions(
    chat: ConversationController, finder: FindController, outline: OutlineController
) -> tuple[WindowAction, ...]:
    """Return the actions that find a place in the open conversation."""
    return (
        WindowAction(translatable("Show outline"), OPEN, translatable("your questions and the headings of the replies"),
                     outline.open, ("Ctrl+Shift+L",), chat.has_messages, menu_part=3),
        WindowAction(translatable("Find in this conversation"), OPEN, translatable("in all its messages"),
                     finder.open, ("Ctrl+F",), chat.has_messages, menu_part=3),
        WindowAction(translatable("Find next"), OPEN, translatable("the next place with the text"),
                     partial(finder.press_step, 1), ("F3",), finder.is_open),
        WindowAction(translatable("Find previous"), OPEN, translatable("the previous place with the text"),
                     partial(finder.press_step, -1), ("Shift+F3",), finder.is_open),
    )  # fmt: skip


def conversation_actions(
    chat: ConversationController,
    listing: ListingController,
    importing: ImportController,
    setup: SetupController,
    models: ModelController,
    tools: ToolsController,
    context: ContextController,
    export: ExportController,
) -> tuple[WindowAction, ...]:
    """Return the actions that begin conversations, and those on the open one."""
    return (
        WindowAction(translatable("Import conversations…"), ALL, translatable("of other programs"),
                     importing.open),
        WindowAction(translatable("Rename conversation"), OPEN, translatable("another title"),
                     listing.begin_renaming, ("F2",), chat.is_open, menu_part=1),
        WindowAction(translatable("New conversation with a persona…"), ALL, translatable("with what you saved as one"),
                     setup.offer_personas),
        WindowAction(translatable("Conversation settings…"), OPEN,
                     translatable("its system prompt, parameters, folder, policy and tools"),
                     setup.open, ("Ctrl+Shift+I",), chat.is_open, menu_part=2),
        WindowAction(translatable("Choose a model…"), OPEN, translatable("for this conversation"),
                     models.offer, ("Ctrl+M",), chat.is_open, menu_part=2),
        WindowAction(translatable("Choose a working folder…"), OPEN, translatable("where tools work"),
                     tools.offer_folder, (), chat.is_open, menu_part=2),
        WindowAction(translatable("Choose tools…"), OPEN, translatable("what the model may call"),
                     tools.open, ("Ctrl+Shift+T",), chat.is_open, menu_part=2),
        WindowAction(translatable("Shorten tool results only…"), OPEN,
                     translatable("old ones; no message leaves"), context.shorten_results, (), chat.is_idle),
        WindowAction(translatable("Start fresh with a summary…"), OPEN,
                     translatable("a new conversation; this one stays"),
                     context.start_fresh, (), chat.is_idle, menu_part=3),
        WindowAction(translatable("Export conversation…"), OPEN, translatable("write it to a file"),
                     export.open, ("Ctrl+Shift+E",), chat.has_messages, menu_part=3),
    )  # fmt: skip


def arranging_actions(listing: ListingController, projects: ProjectController) -> tuple[WindowAction, ...]:
    """Return the actions on the conversations that are selected in the list, or else on the open one."""
    return (
        WindowAction(translatable("Duplicate conversation"), OPEN, translatable("a copy that continues on its own"),
                     lambda: listing.duplicate(listing.targets()[0]), ("Ctrl+Shift+D",), listing.can_duplicate,
                     menu_part=3),
        WindowAction(translatable("Pin or unpin conversation"), OPEN, translatable("at the top of the list"),
                     listing.toggle_pinned, ("Ctrl+D",), listing.infos, menu_part=1, label=listing.pin_label),
        WindowAction(translatable("Move to project…"), OPEN, translatable("an existing one, a new one, or none"),
                     lambda: projects.choose_for(listing.targets()), ("Ctrl+Shift+S",), listing.infos, menu_part=1),
        WindowAction(translatable("Archive or unarchive"), OPEN, translatable("out of the list; nothing is deleted"),
                     listing.toggle_put_away, ("Ctrl+Shift+H",), listing.infos, menu_part=1,
                     label=listing.put_away_label),
        WindowAction(translatable("Delete conversation"), OPEN, translatable("can be undone"),
                     lambda: listing.delete(listing.targets()), (), listing.infos, menu_part=4),
    )  # fmt: skip


def project_actions(projects: ProjectController) -> tuple[WindowAction, ...]:
    """Return the actions on projects."""
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


def reply_actions(
    chat: ConversationController,
    attach: AttachController,
    questions: QuestionController,
    recovery: RecoveryController,
    transcript: TranscriptWidget,
) -> tuple[WindowAction, ...]:
    """Return the actions on the draft, and on messages."""
    return (
        WindowAction(translatable("Write a message"), REPLY, translatable("move the keyboard focus there"),
                     chat.take_focus, ("Ctrl+L",)),
        WindowAction(translatable("Attach files…"), REPLY, translatable("to the next message"),
                     attach.choose_files, ("Ctrl+Shift+A",)),
        WindowAction(translatable("Stop the reply"), REPLY, translatable("what has arrived is kept"),
                     questions.escape, ("Esc",), chat.is_running, is_everywhere=False),  # Escape has other uses too
        WindowAction(translatable("Regenerate the reply"), REPLY, translatable("the earlier one is kept"),
                     chat.regenerate, (), chat.is_idle),
        WindowAction(translatable("Edit your newest message"), REPLY,
                     translatable("and send it again; the version that was sent is kept"),
                     recovery.edit_message, ("Ctrl+E",), chat.is_idle),
        WindowAction(translatable("Quote selected text"), REPLY, translatable("in the draft"),
                     transcript.quote_selection, ("Ctrl+Shift+R",), transcript.has_selection),
        WindowAction(translatable("Copy the newest reply"), REPLY, translatable("as Markdown"),
                     chat.copy_newest_reply, (), chat.newest_reply),
        WindowAction(translatable("Jump to the newest message"), REPLY, translatable("the end of the conversation"),
                     chat.jump_to_end, (), chat.is_idle),
    )  # fmt: skip


def context_actions(
    chat: ConversationController,
    context: ContextController,
    policies: PolicyController,
    request: RequestController,
    insights: InsightsController,
    panel_pane: DrawerPane,
    header: Header,
) -> tuple[WindowAction, ...]:
    """Return the actions on the context, and on what shows it."""
    tabs = [WindowAction(name, CONTEXT, about, partial(context.open_tab, tab)) for tab, (name, about) in TABS.items()]
    return (
        WindowAction(translatable("Optimize conversation…"), CONTEXT, translatable("see what would change"),
                     context.optimize, ("Ctrl+Shift+O",), chat.is_open),
        WindowAction(translatable("Show or hide the context panel"), CONTEXT, "",
                     panel_pane.toggle, ("Ctrl+.",)),
        WindowAction(translatable("Making room: choose a policy…"), CONTEXT,
                     translatable("every number, and what it would do"),
                     policies.open, ("Ctrl+Shift+M",)),
        WindowAction(translatable("View the request"), CONTEXT,
                     translatable("what the model gets, part by part; or the chat again"),
                     request.toggle, ("Ctrl+Shift+X",), chat.is_open,
                     button=header.views),
        WindowAction(translatable("Undo the newest operation"), CONTEXT,
                     translatable("what it archived or shortened is in the request again"),
                     context.undo_newest, (), context.newest_undoable),
        *tabs,
        WindowAction(translatable("Insights"), CONTEXT, translatable("what this conversation has used, or all of them"),
                     insights.toggle, ("Ctrl+I",)),
    )  # fmt: skip


def view_actions(
    settings: SettingsController,
    data: DataController,
    about: AboutController,
    commands: CommandController,
    sidebar_pane: DrawerPane,
    go_to_next_region: Callable[[], None],
    close: Callable[[], object],
) -> tuple[WindowAction, ...]:
    """Return the actions on the window, and on the program."""
    return (
        WindowAction(translatable("Next region"), WINDOW, translatable("list, messages, composer, panel"),
                     go_to_next_region, ("F6",)),
        WindowAction(translatable("Show or hide the conversations"), WINDOW, translatable("the sidebar"),
                     sidebar_pane.toggle, ("Ctrl+B",)),
        WindowAction(translatable("Larger text"), WINDOW, translatable("in the whole window"),
                     lambda: settings.resize_text(1), ("Ctrl++", "Ctrl+=")),
        WindowAction(translatable("Smaller text"), WINDOW, translatable("in the whole window"),
                     lambda: settings.resize_text(-1), ("Ctrl+-",)),
        WindowAction(translatable("Usual text size"), WINDOW, translatable("in the whole window"),
                     lambda: settings.resize_text(0), ("Ctrl+0",)),
        *(WindowAction(name, WINDOW, translatable("the look of the window"), partial(settings.use_theme, theme))
          for theme, name in THEMES.items()),
        WindowAction(translatable("Settings…"), WINDOW, translatable("servers, models, summaries, look"),
                     settings.open, ("Ctrl+,",)),
        WindowAction(translatable("Data and backups…"), WINDOW, translatable("where it is, restore, what takes space"),
                     data.open),
        WindowAction(translatable("Back up now"), WINDOW, translatable("a checked copy of everything that was said"),
                     data.back_up),
        WindowAction(translatable("Commands…"), WINDOW, translatable("every action by its name"),
                     commands.open_palette, ("Ctrl+Shift+P",)),
        WindowAction(translatable("Quit"), WINDOW, translatable("drafts and edits are kept"),
                     close, ("Ctrl+Q",)),
        WindowAction(translatable("Show the log…"), WINDOW,
                     translatable("what was done to make room, without any message text"),
                     commands.show_log),
        WindowAction(translatable("About Palimpsest"), WINDOW, translatable("versions, folders, licences of all parts"),
                     about.open),
        WindowAction(translatable("Keyboard shortcuts"), WINDOW, translatable("every key"),
                     commands.open_shortcuts, ("F1", "Ctrl+/")),
    )  # fmt: skip
