"""The sections of the settings, but for the forms of servers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QWidget

from desktop_app.context.own_policies import find_policy
from desktop_app.context.policy import BALANCED
from desktop_app.context.presets import FOR_PEOPLE, LIKE_PROGRAMS, PRESETS, SUMMARIES
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.tools import Rule
from desktop_app.settings import Settings
from desktop_app.ui.translation import LANGUAGES, tr
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.formats import format_percent
from desktop_app.ui.widgets.layouts import discard, horizontal, vertical
from desktop_app.ui.widgets.look import MEDIUM
from desktop_app.ui.widgets.text_label import TextLabel

from .entries import Choice, Field, FormEntry, LongText, OnOff, Percent, Segments, section
from .mcp_form import McpList
from .server_form import parse_address
from .server_list import ServerList
from .summary_choice import CHAT_MODEL, SummaryChoice, model_choices

THEMES = (("system", "System"), ("light", "Light"), ("dark", "Dark"))
SCALES = (80, 160, 5)  # percent: minimum, maximum, step
MIN_ROUNDS, MAX_ROUNDS = 1, 1_000
AUTOMATIC_NOTE = (
    "When this is off, nothing is summarized without your approval, and a full context window stops the chat."
)
MEMORY_NOTE = (
    "Before older messages leave the context window, the model notes what is worth remembering. A note is used in the "
    "same folder or conversation only, until you choose otherwise in the Memory tab of the context panel."
)
RECALL_NOTE = (
    "When a message refers to something that was archived, the matching passages are sent along, up to a limit."
)
VISION_NOTE = "Describes images for models that cannot see them. The images are sent to its server."
RESEARCH_NOTE = "Searches and reads the web when you type /research and a question."
NO_RULES = "No permanent rules yet: tools ask before they change files, run commands or use the network."


def appearance_section(settings: Settings) -> QWidget:
    """Return the section of the theme, the text size and the language."""
    theme = Segments("theme", THEMES, settings.theme)
    languages = [(tr("As the system"), ""), *((name, language) for language, name in LANGUAGES.items())]
    note = tr("Takes effect when Palimpsest is started again.")
    return section(
        "Appearance",
        theme,
        Percent("font_scale", "Text size", settings.font_scale, SCALES),
        Choice("language", tr("Language"), languages, settings.language, note),
    )


def conversation_section(settings: Settings, models: Sequence[ModelInfo], servers: ServerList) -> QWidget:
    """Return the section of what new conversations begin with."""
    choices = model_choices(models, has_window=True)
    model = Choice("chat_model", "Model", choices, settings.chat_model, parse=servers.parse_model)
    return section("New conversations", model, LongText("system_prompt", "System prompt", settings.system_prompt))


def context_section(
    settings: Settings, models: Sequence[ModelInfo], servers: ServerList, numbers: LinkButton
) -> QWidget:
    """Return the section of when room is made, by which policy, and who writes the summaries."""
    return section(
        "Context window",
        OnOff("is_automatic", "Make room automatically", settings.is_automatic, AUTOMATIC_NOTE),
        Segments("policy", policies_offered(settings), settings.policy, partial(policy_description, settings)),
        numbers,
        SummaryChoice(settings, models, servers),
    )


def role_section(settings: Settings, models: Sequence[ModelInfo]) -> QWidget:
    """Return the section of the models that look at images and search the web."""
    vision, research = settings.vision_model, settings.research_model
    seeing = model_choices([model for model in models if model.supports_vision or model.id == vision])
    calling = model_choices([model for model in models if model.supports_tools or model.id == research])
    own = (CHAT_MODEL, "")
    return section(
        "Models for other tasks",
        Choice("vision_model", "Describe images with", [own, *seeing], vision, VISION_NOTE),
        Choice("research_model", "Research with", [own, *calling], research, RESEARCH_NOTE),
    )


def memory_section(settings: Settings) -> QWidget:
    """Return the section of what is remembered, and looked up, unasked."""
    return section(
        "Memory",
        OnOff("is_memory_on", "Remember things about me", settings.is_memory_on, MEMORY_NOTE),
        OnOff("is_recalling", "Look up archived messages", settings.is_recalling, RECALL_NOTE),
    )


def tools_section(settings: Settings, servers: McpList) -> QWidget:
    """Return the section of where tools search and work, what is always allowed, and the MCP servers."""
    url, rounds = settings.search_url, str(settings.max_rounds)
    hint = "leave empty for DuckDuckGo, or enter a SearXNG address"
    return section(
        "Tools",
        Field("search_url", "Web search", url, hint, lambda text: parse_address(text) if text else ""),
        (
            Field("folder", "Working folder of new conversations", settings.folder, "leave empty for none", _folder),
            Field("max_rounds", "Ask me after this many rounds of tool calls", rounds, "25", _rounds),
        ),
        RuleList(settings.rules),
        TextLabel("MCP servers", size=13, weight=MEDIUM),
        servers,
    )


def policies_offered(settings: Settings) -> list[tuple[str, str]]:
    """Return the presets for people and the user's own policies; a preset that imitates another program only if it is
    chosen in the settings file."""
    presets = [policy.name for policy in FOR_PEOPLE]
    if settings.policy in PRESETS and settings.policy not in presets:
        presets.append(settings.policy)
    own = {one.name: one.name for one in settings.policies if one.name and one.name not in PRESETS}
    return [(name, name.capitalize()) for name in presets] + list(own.items())


def policy_description(settings: Settings, name: str) -> str:
    """Return what a policy does, from its own numbers."""
    policy = find_policy(name, settings.policies) or BALANCED
    if policy in LIKE_PROGRAMS:
        return f"Imitates another program. {SUMMARIES[name][:1].upper()}{SUMMARIES[name][1:]}."
    return (
        f"Makes room in the background from {format_percent(policy.background_at)} of the usable window, and before a "
        f"request at {format_percent(policy.compact_at)}; shrinks the conversation to {format_percent(policy.target)}."
    )


def _rounds(text: str) -> int:
    if not text.isdecimal() or not MIN_ROUNDS <= int(text) <= MAX_ROUNDS:
        raise ValueError(f"Enter a number from {MIN_ROUNDS} to {MAX_ROUNDS:,}.")
    return int(text)


def _folder(text: str) -> str:
    if text and not Path(text).is_absolute():
        raise ValueError("Enter the full path.")
    return text


class RuleList(FormEntry):
    """The permanent rules, each with a link that removes it."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.removals: dict[Rule, LinkButton] = {}  # of the rules that are left
        self.empty = TextLabel(NO_RULES, size=13, tint="ink_soft", wraps=True)
        card = Card()
        card.column.addWidget(self.empty)
        card.column.addLayout(vertical(*map(self._row_of, rules), spacing=4))
        super().__init__("rules", "Always allowed", card)
        self.empty.setVisible(not rules)

    def value(self) -> tuple[Rule, ...]:
        return tuple(self.removals)

    def _row_of(self, rule: Rule) -> QWidget:
        tool = "any tool" if rule.tool == "*" else rule.tool
        verb = "may" if rule.is_allowed else "must not"
        head = TextLabel(f"{tool} {verb}", size=13, weight=MEDIUM, tint="ink" if rule.is_allowed else "critical")
        pattern = TextLabel("anything" if rule.pattern == "*" else rule.pattern, size=13, is_mono=True, tint="ink_soft")
        remove = self.removals[rule] = LinkButton("Remove")
        remove.setAccessibleName(f"Remove the rule: {tool} {verb} {rule.pattern}")
        made = QWidget()
        horizontal(head, (pattern, 1), remove, holder=made, spacing=10)
        remove.clicked.connect(lambda _=False: self._remove(rule, made))
        return made

    def _remove(self, rule: Rule, row: QWidget) -> None:
        del self.removals[rule]
        discard(row)
        self.empty.setVisible(not self.removals)
