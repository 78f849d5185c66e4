"""The sections of the settings, except for servers, and the list of sections with a search field."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QWidget

from desktop_app.context.policy import BALANCED
from desktop_app.context.presets import FOR_PEOPLE, LIKE_PROGRAMS, PRESETS, SUMMARIES, find_policy
from desktop_app.conversation.installation import ProgramInfo, ProgramPart, report_of
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.tools import Rule
from desktop_app.conversation.transcript import Imported
from desktop_app.conversation.words import translatable
from desktop_app.settings import Settings
from desktop_app.ui.theme import TEXT_SIZES
from desktop_app.ui.translation import LANGUAGES, tr
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.inputs import Select
from desktop_app.ui.widgets.layouts import STRETCH, UNBOUNDED, discard, horizontal, vertical
from desktop_app.ui.widgets.long_text import TextReader
from desktop_app.ui.widgets.look import BOLD, MEDIUM, StyleAware, scale
from desktop_app.ui.widgets.number_formats import capitalize, escape_name, format_number, format_percent
from desktop_app.ui.widgets.row_list import ListRow, RowList
from desktop_app.ui.widgets.text_label import Run, TextLabel

from .entries import Choice, Field, FolderField, FormEntry, LongText, OnOff, Percent, Segments, section
from .limits import format_amount, parse_dollars
from .mcp_form import McpList, sandbox_entries
from .server_form import parse_address
from .server_list import ServerList
from .summary_choice import CHAT_MODEL, SummaryChoice, model_choices

THEMES = (("system", translatable("System")), ("light", translatable("Light")), ("dark", translatable("Dark")))
CONTRASTS = (
    ("system", translatable("System")),
    ("normal", translatable("Normal")),
    ("high", translatable("High")),
)
PRESET_NAMES = {
    "relaxed": translatable("Relaxed"),
    "balanced": translatable("Balanced"),
    "aggressive": translatable("Aggressive"),
}
MIN_ROUNDS, MAX_ROUNDS = 1, 1_000
AUTOMATIC_NOTE = translatable(
    "When this is off, nothing is summarized without your approval, and a full context window stops the chat."
)
NOTIFY_NOTE = translatable("While the window is not in front: when a long reply is ready, or a question waits.")
MEMORY_NOTE = translatable(
    "Before older messages leave the context window, the model notes what is worth remembering. A note is used in the "
    "same folder or conversation only, until you choose otherwise in the Memory tab of the context panel."
)
RECALL_NOTE = translatable(
    "When a message refers to something that was summarized, the matching passages are sent along, up to a limit."
)
SPENDING_NOTE = translatable(
    "In dollars, with summaries and other tasks. The next request is estimated before it is sent; models whose price "
    "is not known are not counted. An automatic summary that would cost more is assembled by rules."
)
VISION_NOTE = translatable("Describes images for models that cannot see them. The images are sent to its server.")
RESEARCH_NOTE = translatable("Searches and reads the web when you type /research and a question.")
NO_RULES = translatable("No permanent rules yet: tools ask before they change files, run commands or use the network.")


def appearance_section(settings: Settings) -> QWidget:
    """Return the section with the theme, the text size and the language."""
    themes, contrasts = ([(value, tr(name)) for value, name in choices] for choices in (THEMES, CONTRASTS))
    theme = Segments("theme", themes, settings.theme, label=tr("Theme"))
    contrast = Segments("contrast", contrasts, settings.contrast, label=tr("Contrast"))
    languages = [(tr("As the system"), ""), *((name, language) for language, name in LANGUAGES.items())]
    note = tr("Takes effect the next time Palimpsest starts.")
    return section(
        tr("Appearance"),
        theme,
        contrast,
        Percent("font_scale", tr("Text size"), settings.font_scale, TEXT_SIZES),
        Choice("language", tr("Language"), languages, settings.language, note),
        OnOff("is_notifying", tr("Notify me through the desktop"), settings.is_notifying, tr(NOTIFY_NOTE)),
    )


def conversation_section(settings: Settings, models: Sequence[ModelInfo], servers: ServerList) -> QWidget:
    """Return the section with the defaults of new conversations."""
    choices = model_choices(models, has_window=True)
    model = Choice("chat_model", tr("Model"), choices, settings.chat_model, parse=servers.parse_model)
    return section(
        tr("New conversations"), model, LongText("system_prompt", tr("System prompt"), settings.system_prompt)
    )


AHEAD_NOTE = translatable(
    "Shortly before the window is full, in the background, while the provider has the conversation in its cache: "
    "nobody waits then, and most of the conversation is read at the price of the cache."
)


IDLE_NOTE = translatable(
    "Shortly before the provider drops a large cache of a conversation that you are not using: the summary is read "
    "from the cache, and your next message costs less. You can undo it."
)


def context_section(
    settings: Settings, models: Sequence[ModelInfo], servers: ServerList, numbers: LinkButton
) -> QWidget:
    """Return the section on making room: when, by which policy, and by whom summaries are written."""
    warns = tr("Warn before a large cache is lost")
    about = tr(
        "Shows what another model, other tools or other instructions cost while the provider has the conversation in "
        "its cache."
    )
    return section(
        tr("Context window"),
        OnOff("is_automatic", tr("Make room automatically"), settings.is_automatic, tr(AUTOMATIC_NOTE)),
        OnOff("is_summarizing_ahead", tr("Write summaries ahead"), settings.is_summarizing_ahead, tr(AHEAD_NOTE)),
        OnOff("is_compacting_idle", tr("Summarize idle conversations"), settings.is_compacting_idle, tr(IDLE_NOTE)),
        OnOff("is_warning_of_resets", warns, settings.is_warning_of_resets, about),
        Segments("policy", policies_offered(settings), settings.policy, partial(policy_description, settings)),
        numbers,
        SummaryChoice(settings, models, servers),
    )


def spending_section(settings: Settings) -> QWidget:
    """Return the section with the limits of money."""
    own, day = settings.max_dollars, settings.max_dollars_a_day
    ask, no_limit = tr("Ask me before a conversation costs more than"), tr("no limit")
    return section(
        tr("Costs"),
        Field("max_dollars", ask, format_amount(own), no_limit, parse_dollars, tr(SPENDING_NOTE)),
        Field(
            "max_dollars_a_day", tr("Ask me before a day costs more than"), format_amount(day), no_limit, parse_dollars
        ),
    )


def role_section(settings: Settings, models: Sequence[ModelInfo]) -> QWidget:
    """Return the section with the models that describe images and search the web."""
    vision, research = settings.vision_model, settings.research_model
    seeing = model_choices([model for model in models if model.supports_vision or model.id == vision])
    calling = model_choices([model for model in models if model.supports_tools or model.id == research])
    own = (tr(CHAT_MODEL), "")
    return section(
        tr("Models for other tasks"),
        Choice("vision_model", tr("Describe images with"), [own, *seeing], vision, tr(VISION_NOTE)),
        Choice("research_model", tr("Research with"), [own, *calling], research, tr(RESEARCH_NOTE)),
    )


def memory_section(settings: Settings) -> QWidget:
    """Return the section on what is remembered and looked up automatically."""
    return section(
        tr("Memory"),
        OnOff("is_memory_on", tr("Remember things about me"), settings.is_memory_on, tr(MEMORY_NOTE)),
        OnOff("is_recalling", tr("Look up older messages"), settings.is_recalling, tr(RECALL_NOTE)),
    )


def tools_section(settings: Settings, servers: McpList, sandbox_fault: str) -> QWidget:
    """Return the section on tools: web search, folder, sandbox, permanent rules and MCP servers."""
    url, rounds = settings.search_url, str(settings.max_rounds)
    hint, no_folder = tr("leave empty for DuckDuckGo, or enter a SearXNG address"), tr("leave empty for none")
    return section(
        tr("Tools"),
        Field("search_url", tr("Web search"), url, hint, lambda text: parse_address(text) if text else ""),
        FolderField("folder", tr("Working folder of new conversations"), settings.folder, no_folder),
        Field("max_rounds", tr("Ask me after this many rounds of tool calls"), rounds, "25", _rounds),
        *sandbox_entries(settings, sandbox_fault),
        RuleList(settings.rules),
        TextLabel(tr("MCP servers"), size=13, weight=MEDIUM),
        servers,
    )


def policies_offered(settings: Settings) -> list[tuple[str, str]]:
    """Return the presets and the user's own policies; of the presets that imitate other programs, only the one that is
    chosen in the settings file."""
    presets = [policy.name for policy in FOR_PEOPLE]
    if settings.policy in PRESETS and settings.policy not in presets:
        presets.append(settings.policy)
    own = {one.name: one.name for one in settings.policies if one.name and one.name not in PRESETS}
    return [(name, tr(PRESET_NAMES.get(name, name.capitalize()))) for name in presets] + list(own.items())


def policy_description(settings: Settings, name: str) -> str:
    """Return sentences that describe a policy by its numbers."""
    policy = find_policy(name, settings.policies) or BALANCED
    if policy in LIKE_PROGRAMS:
        about = tr(SUMMARIES[name])
        return tr("Imitates another program. {About}.").format(About=capitalize(about))
    words = [tr("Makes room before a request from {limit} of the usable window.")]
    if "after_turn" in policy.phases:
        words = [
            tr("Makes room in the background from {background} of the usable window, and before a request at {limit}.")
        ]
    words.append(tr("Summarizing brings the request down to {target}."))
    if policy.min_target:
        words.append(tr("In small windows down to {tokens} tokens."))
    return " ".join(words).format(
        background=format_percent(policy.background_at),
        limit=format_percent(policy.compact_at),
        target=format_percent(policy.target),
        tokens=format_number(policy.min_target),
    )


def _rounds(text: str) -> int:
    if not text.isdecimal() or not MIN_ROUNDS <= int(text) <= MAX_ROUNDS:
        message = tr("Enter a number from {least} to {most}.")
        raise ValueError(message.format(least=MIN_ROUNDS, most=format_number(MAX_ROUNDS)))
    return int(text)


def _by_name(rule: Rule) -> Rule:
    return replace(rule, fingerprint="")


class RuleList(FormEntry):
    """The permanent rules, each with a link that removes it."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self.removals: dict[Rule, LinkButton] = {}  # of the remaining rules, one for all fingerprints of a tool
        self.empty = TextLabel(tr(NO_RULES), size=13, tint="ink_soft", wraps=True)
        card = Card()
        card.column.addWidget(self.empty)
        card.column.addLayout(vertical(*map(self._row_of, dict.fromkeys(map(_by_name, rules))), spacing=4))
        super().__init__("rules", tr("Always allowed"), card)
        self.empty.setVisible(not rules)

    def value(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in self._rules if _by_name(rule) in self.removals)

    def _row_of(self, rule: Rule) -> QWidget:
        verdict = tr("{tool} may") if rule.is_allowed else tr("{tool} must not")
        words = verdict.format(tool=tr("any tool") if rule.tool == "*" else rule.tool)
        head = TextLabel(words, size=13, weight=MEDIUM, tint="ink" if rule.is_allowed else "critical")
        pattern = TextLabel(
            tr("anything") if rule.pattern == "*" else rule.pattern, size=13, is_mono=True, tint="ink_soft"
        )
        remove = self.removals[rule] = LinkButton(tr("Remove"))
        remove.setAccessibleName(tr("Remove the rule: {rule} {pattern}").format(rule=words, pattern=rule.pattern))
        row = QWidget()
        horizontal(head, (pattern, 1), remove, holder=row, spacing=10)
        remove.clicked.connect(lambda _=False: self._remove(rule, row))
        return row

    def _remove(self, rule: Rule, row: QWidget) -> None:
        del self.removals[rule]
        discard(row)
        self.empty.setVisible(not self.removals)


WIDTH = 190  # pixels


def words_of(section: QWidget) -> str:
    """Return the texts of a section's labels and buttons, case-folded."""
    texts = [label.text() for label in section.findChildren(QLabel)]
    texts += [button.text() for button in section.findChildren(QAbstractButton)]
    return " ".join(texts).casefold()


class SectionList(StyleAware, QWidget):
    """The sections of the settings with a search field. Signal: section_chosen(name), by the user."""

    section_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._sections: dict[str, tuple[str, QWidget]] = {}
        self._is_narrow = False
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Find a setting"))
        self.field.setAccessibleName(tr("Find a setting"))
        self.field.setClearButtonEnabled(True)
        self.empty = TextLabel(tr("No setting contains these words."), size=13, tint="ink_soft", wraps=True)
        self.empty.hide()
        self.list = RowList(has_body=False)
        self.list.setAccessibleName(tr("Sections"))
        self.choice = Select()
        self.choice.setAccessibleName(tr("Section"))
        self.choice.hide()
        vertical(self.choice, self.field, self.empty, (self.list, 1), holder=self, spacing=10)
        self.field.textChanged.connect(self._find)
        self.list.choice_changed.connect(self._choose)
        self.choice.activated.connect(lambda _: self.section_chosen.emit(self.choice.currentData()))
        self.refresh_style()

    def add(self, name: str, title: str, section: QWidget) -> None:
        """Append a section; the first one is chosen."""
        self._sections[name] = title, section
        self.list.rows.append([ListRow(name, title)])
        self.choice.addItem(title, name)
        if len(self._sections) == 1:
            self.show_chosen(name)

    def show_chosen(self, name: str) -> None:
        """Select that section; if the search hides it, clear the search."""
        self.choice.choose(name)
        names = [row.key for row in self.list.rows.rows]
        if name not in names:
            self.field.clear()
            names = [row.key for row in self.list.rows.rows]
        if name in names and self.list.current_key() != name:
            self.list.setCurrentIndex(self.list.rows.index(names.index(name)))

    def set_narrow(self, is_narrow: bool) -> None:
        """Become a drop-down list above the fields, where a list next to them would leave too little space."""
        self._is_narrow = is_narrow
        self.choice.setVisible(is_narrow)
        self.field.setVisible(not is_narrow)
        self.list.setVisible(not is_narrow)
        self.refresh_style()

    def refresh_style(self) -> None:
        self.setMinimumWidth(0 if self._is_narrow else scale(WIDTH))
        self.setMaximumWidth(UNBOUNDED if self._is_narrow else scale(WIDTH))

    def _find(self, text: str) -> None:
        wanted, chosen = text.strip().casefold(), self.list.current_key()
        found = [
            ListRow(name, title)
            for name, (title, section) in self._sections.items()
            if wanted in title.casefold() or wanted in words_of(section)
        ]
        self.list.rows.replace(found)
        self.empty.setVisible(not found)
        if found:
            names = [row.key for row in found]
            self.list.setCurrentIndex(self.list.rows.index(names.index(chosen) if chosen in names else 0))

    def _choose(self) -> None:
        if name := self.list.current_key():
            self.section_chosen.emit(name)


class OriginSection(QWidget):
    """The origin of an imported conversation: program and file, and a link to what could not be converted."""

    def __init__(self, imported: Imported) -> None:
        super().__init__()
        self._rest = imported.rest
        self.told = TextLabel(
            tr("From {program}, {file}").format(program=imported.program, file=escape_name(imported.file)),
            size=13,
            tint="ink_soft",
            wraps=True,
        )
        self.rest = LinkButton(tr("What could not be converted"))
        self.rest.setToolTip(tr("Kept as the other program wrote it, in JSON"))
        self.rest.setVisible(bool(imported.rest))
        self.rest.clicked.connect(self._read)
        vertical(section(tr("Imported"), self.told, self.rest), holder=self)

    def _read(self) -> None:
        text = msgspec.json.format(self._rest, indent=2)
        TextReader(self.rest.text(), text, self.window(), is_mono=True).show()


LIST_HEIGHT = 300  # pixels
UPDATES = translatable(
    "Palimpsest does not look for newer versions by itself, and reports nothing to anyone. It connects only to what you"
    " have set up."
)
READING = translatable("Looking at what is installed…")
FAMILY_NAMES = {
    "LGPL and GPL": translatable("LGPL and GPL"),
    "BSD and ISC": translatable("BSD and ISC"),
    "Public domain": translatable("Public domain"),
    "Others": translatable("Other licences"),
}


def part_rows(parts: tuple[ProgramPart, ...], query: str) -> list[ListRow]:
    """Return the parts that match all words of the query, grouped by the families of their licences."""
    words = query.casefold().split()
    found = [part for part in parts if all(word in f"{part.name} {part.licence}".casefold() for word in words)]
    rows: list[ListRow] = []
    for family, own in groupby(found, lambda part: part.family):
        members = list(own)
        rows.append(ListRow(f"\0{family}", tr(FAMILY_NAMES.get(family, family)), format_number(len(members))))
        rows += [
            ListRow(part.name, "", part.licence, (Run(part.name, "ink"), Run(f"  {part.version}"))) for part in members
        ]
    return rows


class AboutSection(QWidget):
    """Version, folders and licences of the program.

    Signals: content_requested, when it is first shown; licence_requested(name of a part); folder_requested.
    """

    content_requested = Signal()
    licence_requested = Signal(str)
    folder_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.info: ProgramInfo | None = None
        self._is_asked = False
        self.name = TextLabel("Palimpsest", size=17, weight=BOLD)
        self.versions = TextLabel(tr(READING), size=13, tint="ink_soft", wraps=True)
        self.folders = TextLabel("", size=12, tint="ink_faint", is_mono=True, wraps=True)
        self.copy, self.open = LinkButton(tr("Copy for a report")), LinkButton(tr("Open folder"))
        self.filter, self.list = QLineEdit(), RowList(has_body=False)
        self.filter.setPlaceholderText(tr("Filter by name or licence…"))
        self.filter.setAccessibleName(tr("Filter by name or licence…"))
        self.filter.setClearButtonEnabled(True)
        self.list.setAccessibleName(tr("Parts and their licences"))
        self.list.setFixedHeight(scale(LIST_HEIGHT))
        self.empty = TextLabel(tr("No part contains these words."), size=13, tint="ink_soft", wraps=True)
        self.empty.hide()
        self.folders.hide()
        card = Card()
        for part in (self.name, self.versions, self.folders):
            card.column.addWidget(part)
        card.column.addLayout(horizontal(self.copy, self.open, STRETCH, spacing=16))
        updates = TextLabel(tr(UPDATES), size=13, wraps=True)
        licences = TextLabel(tr("Parts and their licences"), size=13, weight=MEDIUM)
        about = TextLabel(tr("Choose one to read the whole text."), size=12, tint="ink_faint", wraps=True)
        vertical(section(tr("About"), card, updates, licences, about, self.filter, self.list, self.empty), holder=self)
        self.copy.clicked.connect(self._copy)
        self.open.clicked.connect(self.folder_requested)
        self.filter.textChanged.connect(lambda _: self._list())
        self.list.row_chosen.connect(self._choose)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._is_asked:
            self._is_asked = True
            self.content_requested.emit()

    def show_info(self, info: ProgramInfo) -> None:
        """Show the information that the engine has sent."""
        self.info = info
        self.name.set_text(f"Palimpsest {info.version}")
        self.versions.set_text(" · ".join(" ".join(pair) for pair in info.versions))
        folders = (tr("Data: {path}").format(path=info.data), tr("Log: {path}").format(path=info.log))
        self.folders.set_text("\n".join(folders))
        self.folders.show()
        self._list()

    def _list(self) -> None:
        rows = part_rows(self.info.parts if self.info is not None else (), self.filter.text())
        self.list.rows.replace(rows)
        self.list.setVisible(bool(rows) or not self.filter.text())
        self.empty.setVisible(not rows and bool(self.filter.text()))

    def _choose(self, key: str) -> None:
        if not key.startswith("\0"):  # otherwise it is a family
            self.licence_requested.emit(key)

    def _copy(self) -> None:
        if self.info is not None:
            QGuiApplication.clipboard().setText(report_of(self.info))
