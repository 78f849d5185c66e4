"""The sections of the settings, but for the forms of servers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace
from PySide6.QtWidgets import QWidget

from desktop_app.context.policy import BALANCED
from desktop_app.context.presets import FOR_PEOPLE, LIKE_PROGRAMS, PRESETS, SUMMARIES, find_policy
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.tools import Rule
from desktop_app.conversation.words import translatable
from desktop_app.settings import Settings
from desktop_app.ui.theme import TEXT_SIZES
from desktop_app.ui.translation import LANGUAGES, tr
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.formats import capitalize, format_number, format_percent
from desktop_app.ui.widgets.layouts import discard, horizontal, vertical
from desktop_app.ui.widgets.look import MEDIUM
from desktop_app.ui.widgets.text_label import TextLabel

from .entries import Choice, Field, FolderField, FormEntry, LongText, OnOff, Percent, Segments, section
from .mcp_form import McpList
from .sandbox_part import sandbox_entries
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
VISION_NOTE = translatable("Describes images for models that cannot see them. The images are sent to its server.")
RESEARCH_NOTE = translatable("Searches and reads the web when you type /research and a question.")
NO_RULES = translatable("No permanent rules yet: tools ask before they change files, run commands or use the network.")


def appearance_section(settings: Settings) -> QWidget:
    """Return the section of the theme, the text size and the language."""
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
    """Return the section of what new conversations begin with."""
    choices = model_choices(models, has_window=True)
    model = Choice("chat_model", tr("Model"), choices, settings.chat_model, parse=servers.parse_model)
    return section(
        tr("New conversations"), model, LongText("system_prompt", tr("System prompt"), settings.system_prompt)
    )


def context_section(
    settings: Settings, models: Sequence[ModelInfo], servers: ServerList, numbers: LinkButton
) -> QWidget:
    """Return the section of when room is made, by which policy, and who writes the summaries."""
    return section(
        tr("Context window"),
        OnOff("is_automatic", tr("Make room automatically"), settings.is_automatic, tr(AUTOMATIC_NOTE)),
        Segments("policy", policies_offered(settings), settings.policy, partial(policy_description, settings)),
        numbers,
        SummaryChoice(settings, models, servers),
    )


def role_section(settings: Settings, models: Sequence[ModelInfo]) -> QWidget:
    """Return the section of the models that look at images and search the web."""
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
    """Return the section of what is remembered, and looked up, unasked."""
    return section(
        tr("Memory"),
        OnOff("is_memory_on", tr("Remember things about me"), settings.is_memory_on, tr(MEMORY_NOTE)),
        OnOff("is_recalling", tr("Look up older messages"), settings.is_recalling, tr(RECALL_NOTE)),
    )


def tools_section(settings: Settings, servers: McpList, sandbox_fault: str) -> QWidget:
    """Return the section of where tools search and work, their sandbox, what is always allowed, and the MCP servers."""
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
    """Return the presets for people and the user's own policies; a preset that imitates another program only if it is
    chosen in the settings file."""
    presets = [policy.name for policy in FOR_PEOPLE]
    if settings.policy in PRESETS and settings.policy not in presets:
        presets.append(settings.policy)
    own = {one.name: one.name for one in settings.policies if one.name and one.name not in PRESETS}
    return [(name, tr(PRESET_NAMES.get(name, name.capitalize()))) for name in presets] + list(own.items())


def policy_description(settings: Settings, name: str) -> str:
    """Return what a policy does, from its own numbers."""
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
    if policy.target_least:
        words.append(tr("In small windows down to {tokens} tokens."))
    return " ".join(words).format(
        background=format_percent(policy.background_at),
        limit=format_percent(policy.compact_at),
        target=format_percent(policy.target),
        tokens=format_number(policy.target_least),
    )


def _rounds(text: str) -> int:
    if not text.isdecimal() or not MIN_ROUNDS <= int(text) <= MAX_ROUNDS:
        told = tr("Enter a number from {least} to {most}.")
        raise ValueError(told.format(least=MIN_ROUNDS, most=format_number(MAX_ROUNDS)))
    return int(text)


def _by_name(rule: Rule) -> Rule:
    return replace(rule, fingerprint="")


class RuleList(FormEntry):
    """The permanent rules, each with a link that removes it."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self.removals: dict[Rule, LinkButton] = {}  # of those that are left, for all states of a tool together
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
        made = QWidget()
        horizontal(head, (pattern, 1), remove, holder=made, spacing=10)
        remove.clicked.connect(lambda _=False: self._remove(rule, made))
        return made

    def _remove(self, rule: Rule, row: QWidget) -> None:
        del self.removals[rule]
        discard(row)
        self.empty.setVisible(not self.removals)
