"""The sheet of one conversation's settings: system prompt, parameters, folder, policy, tools and persona."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import get_args

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.setup import (
    NO_FOLDER,
    ConversationSetup,
    OptionName,
    Persona,
    Project,
    ReasoningEffort,
    RecallScope,
    ReplyOptions,
)
from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import SetupRead
from desktop_app.ui.cache_notice import CacheNotice
from desktop_app.ui.projects.project_page import RECALL_NAMES, recall_meaning
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import Card, ScrollColumn
from desktop_app.ui.widgets.buttons import Button, ButtonKind, LinkButton
from desktop_app.ui.widgets.layouts import STRETCH, horizontal
from desktop_app.ui.widgets.look import MEDIUM, Corner
from desktop_app.ui.widgets.row_list import CheckList, CheckRow
from desktop_app.ui.widgets.sheet import Sheet
from desktop_app.ui.widgets.text_label import TextLabel

from .entries import Choice, Field, FolderField, FormEntry, LongText, OnOff, Segments, section
from .limits import format_limit, parse_reply
from .sections import OriginSection

WIDTH, TOOLS = 600, 7
EFFORTS = (("", translatable("The model’s default")), ("low", translatable("Low")), ("medium", translatable("Medium")),
           ("high", translatable("High")))  # fmt: skip
NOT_TAKEN = translatable("{model} does not accept this, so it is not sent.")


def parse_share(text: str, most: float, *, may_be_zero: bool) -> float | None:
    """Return the number of "0.7" or "0,7"; None for "", the provider's default. Raises ValueError."""
    plain = text.strip().replace(",", ".")
    if not plain:
        return None
    if not re.fullmatch(r"\d+(\.\d*)?|\.\d+", plain) or float(plain) > most or (float(plain) == 0 and not may_be_zero):
        raise ValueError(tr("Enter a number from 0 to {most}, such as 0.7.").format(most=f"{most:g}"))
    return float(plain)


class SetupSheet(Sheet):
    """Edits one conversation's settings.

    Signals: save_requested(Persona), for this conversation; persona_saved(Persona) and persona_removed(name), for the
    settings.
    """

    save_requested = Signal(object)
    persona_saved = Signal(object)
    persona_removed = Signal(str)

    def __init__(
        self,
        read: SetupRead,
        here: Persona,
        policies: Sequence[tuple[str, str]],
        personas: Sequence[Persona],
        model_name: str,
        parent: QWidget | None = None,
        *,
        project: Project | None = None,
    ) -> None:
        """here: the conversation's title, and its own model, folder and policy. policies: texts with their names.
        project: provides the defaults; None if the conversation is in none."""
        super().__init__(parent, width=WIDTH, title=tr("This conversation"))
        self._read, self._here, self._model = read, here, ""
        self.personas = {persona.name: persona for persona in personas}
        self._model_name, self._project = model_name, project
        self._build_fields(policies)
        self._build_personas()
        self.cancel, self.save = Button(tr("Cancel")), Button(tr("Save"), ButtonKind.PRIMARY)
        area = ScrollColumn(spacing=20)
        for part in self._sections():
            area.add(part)
        if read.imported is not None:
            area.add(OriginSection(read.imported))
        about = here.name if project is None else tr("{title} · in the project {project}")
        head = TextLabel(
            about.format(title=here.name, project=project.name) if project else about, size=13, tint="ink_soft"
        )
        self.notice = CacheNotice()
        self.lay_out(area, self.cancel, self.save, head=(head, self.notice))
        self.area = area
        self.cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self._save)
        self._show(Persona("", read.setup, folder=here.folder, policy=here.policy))
        self._before = self._written_or_wrong()

    def unsaved(self) -> str:
        return tr("Discard your changes?") if self._written_or_wrong() != self._before else ""

    def _written_or_wrong(self) -> tuple[Persona | None, str]:
        """Return the edited settings, None if they are invalid, and the typed name of a persona."""
        try:
            return self.written(self.persona.chosen()), self.name.text()
        except ValueError:
            return None, self.name.text()

    def written(self, name: str) -> Persona:
        """Return the edited settings under that name. Raises ValueError."""
        prompt = self.prompt.value()
        is_first = self._read.setup.system_prompt is None and prompt == self._read.system_prompt
        effort: ReasoningEffort = next(value for value in get_args(ReasoningEffort) if value == self.effort.value())
        options = ReplyOptions(self.temperature.value(), self.top_p.value(), effort)
        off = tuple(row.key for row in self.tools.rows.rows if isinstance(row, CheckRow) and not row.is_checked)
        hidden = tuple(name for name in self._off_elsewhere if name not in off)
        reach: RecallScope | None = next((scope for scope in RECALL_NAMES if scope == self.recall.value()), None)
        setup = ConversationSetup(
            self.persona.chosen(),
            None if is_first else prompt,
            options,
            self.max_output.value(),
            (*off, *hidden),
            reach,
        )
        folder = NO_FOLDER if self.no_folder.value() else self.folder.value()
        return Persona(name, setup, self._model, folder, self.policy.value())

    def _build_fields(self, policies: Sequence[tuple[str, str]]) -> None:
        hint, model = tr("the provider’s default"), self._model_name
        self.prompt = LongText("", "", "")
        self.prompt.area.setAccessibleName(tr("System prompt"))
        self.temperature = Field("", tr("Temperature"), "", hint, lambda text: parse_share(text, 2, may_be_zero=True))
        self.top_p = Field("", tr("top_p"), "", hint, lambda text: parse_share(text, 1, may_be_zero=False))
        self.max_output = Field("", tr("Longest reply (tokens)"), "", tr("the model’s default"), parse_reply)
        self.effort = Segments("", [(value, tr(text)) for value, text in EFFORTS], "", label=tr("Reasoning effort"))
        self.folder = FolderField("", tr("Working folder"), "", tr("leave empty for none"))
        self.no_folder = OnOff("", tr("Work without a folder"), False)
        self.no_folder.changed.connect(self._explain_folder)
        self.policy = Choice("", tr("Making room"), [*self._usual_policy(policies), *policies], self._here.policy)
        self.recall = Choice(
            "", tr("The model may look things up in"), self._recall_choices(), self._read.setup.recall_in or ""
        )
        self.recall.select.currentIndexChanged.connect(lambda _: self._explain_recall())
        self._explain_recall()
        self._explain_folder()
        self._explain_project()
        self.tools = CheckList(TOOLS)
        self.tools.setAccessibleName(tr("Tools of this conversation"))
        self.tools.toggled.connect(self._toggle)
        not_taken = tr(NOT_TAKEN).format(model=model)
        fields: dict[OptionName, FormEntry] = {
            "temperature": self.temperature, "top_p": self.top_p, "reasoning_effort": self.effort
        }  # fmt: skip
        for name, field in fields.items():
            if name not in self._read.supported:
                field.explain(not_taken)

    def _usual_policy(self, policies: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return the choice of no policy of its own."""
        inherited = self._project.policy if self._project is not None else ""
        name = next((text for text, value in policies if value == inherited), inherited)
        return [(tr("As in the project: {policy}").format(policy=name) if inherited else tr("As in the settings"), "")]

    def _usual_recall(self) -> RecallScope:
        return self._project.recall_in if self._project is not None else "conversation"

    def _recall_choices(self) -> list[tuple[str, str]]:
        template = tr("As in the project: {where}") if self._project is not None else tr("As usual: {where}")
        usual = template.format(where=tr(RECALL_NAMES[self._usual_recall()]))
        has_project = self._project is not None or self._read.setup.recall_in == "project"
        offered = [(tr(name), scope) for scope, name in RECALL_NAMES.items() if scope != "project" or has_project]
        return [(usual, ""), *offered]

    def _explain_recall(self) -> None:
        self.recall.explain(recall_meaning(self.recall.chosen() or self._usual_recall()))

    def _explain_project(self) -> None:
        """Say that the project's instructions follow the prompt."""
        project = self._project
        if project is not None and project.instructions:
            self.prompt.explain(tr("The instructions of the project {project} follow it.").format(project=project.name))

    def _explain_folder(self) -> None:
        """Say where tools work if the conversation has no folder of its own."""
        has_none, project = self.no_folder.value(), self._project
        inherited = project.folder if project is not None and not has_none else ""
        self.folder.setEnabled(not has_none)
        self.folder.edit.setPlaceholderText(tr("none") if has_none else inherited or tr("leave empty for none"))
        template = tr("Empty: {folder}, from the project {project}.") if inherited else ""
        self.folder.explain(template.format(folder=inherited, project=project.name if project is not None else ""))

    def _build_personas(self) -> None:
        self.persona = Choice("", "", self._persona_choices(), self._read.setup.persona)
        self.persona.select.setAccessibleName(tr("Persona"))
        self.name = Field("", "", "", tr("Name of the persona"), self._parse_name)
        self.name.edit.setAccessibleName(tr("Name of the persona"))
        self.with_model = OnOff("", tr("With the model {model}").format(model=self._model_name), False)
        self.keep, self.remove = LinkButton(tr("Save as a persona")), LinkButton(tr("Remove this persona"))
        self.persona.select.activated.connect(lambda _: self._take(self.persona.chosen()))
        self.keep.clicked.connect(self._keep)
        self.remove.clicked.connect(self._remove)

    def _sections(self) -> list[QWidget]:
        tools = Card(corner=Corner.CONTROL)
        tools.column.setContentsMargins(6, 6, 6, 6)
        tools.column.addWidget(self.tools)
        tools.setVisible(bool(self._read.tools))
        links, named = QWidget(), QWidget()
        self.keep.setMinimumHeight(self.name.edit.sizeHint().height())  # on one line with the name, not its note
        horizontal((self.name, 1), (self.keep, 0, Qt.AlignmentFlag.AlignTop), holder=named, spacing=12)
        horizontal(self.with_model, STRETCH, self.remove, holder=links, spacing=12)
        about = tr("A persona is all of this under one name. Changing a persona later changes no conversation.")
        return [
            section(tr("Persona"), self.persona, TextLabel(about, size=12, tint="ink_faint", wraps=True), named, links),
            section(tr("System prompt"), self.prompt),
            section(tr("Parameters"), (self.temperature, self.top_p, self.max_output), self.effort),
            section(tr("Work"), (self.folder, self.policy), self.no_folder, self.recall, *self._tools_title(), tools),
        ]

    def _tools_title(self) -> tuple[QWidget, ...]:
        return (TextLabel(tr("Tools offered here"), size=13, weight=MEDIUM),) if self._read.tools else ()

    def _persona_choices(self) -> list[tuple[str, str]]:
        names = list(self.personas)
        own = self._read.setup.persona
        gone = [(tr("{name} · no longer available").format(name=own), own)] if own and own not in names else []
        return [(tr("None"), ""), *((name, name) for name in names), *gone]

    def _show(self, persona: Persona) -> None:
        """Show a persona; a field that it leaves open shows the value that applies without it."""
        setup = persona.setup
        prompt = self._read.system_prompt if setup.system_prompt is None else setup.system_prompt
        self.prompt.area.setPlainText(prompt)
        options = setup.options
        for field, value in ((self.temperature, options.temperature), (self.top_p, options.top_p)):
            field.edit.setText("" if value is None else f"{value:g}")
        self.max_output.edit.setText(format_limit(setup.max_output))
        self.effort.choices.choose(options.reasoning_effort)
        has_none, of_project = persona.folder == NO_FOLDER, self._project is not None and self._project.folder
        self.folder.edit.setText("" if has_none else persona.folder)
        self.no_folder.switch.setChecked(has_none)
        self.no_folder.setVisible(bool(has_none or of_project))
        self.policy.select.choose(persona.policy)
        self.recall.select.choose(setup.recall_in or "")
        self._off_elsewhere = tuple(name for name in setup.tools_off if name not in self._read.tools)
        self.tools.show_rows([CheckRow(n, n, is_checked=n not in setup.tools_off) for n in self._read.tools])
        self.remove.setVisible(self.persona.chosen() in self.personas)
        self.name.edit.setText(self.persona.chosen())

    def _take(self, name: str) -> None:
        persona = self.personas.get(name)
        if persona is not None:
            self._model = persona.model
            self._show(replace(persona, folder=persona.folder or self._here.folder))
        else:
            self._model = ""
            self.remove.hide()

    def _toggle(self, name: str) -> None:
        row = next(row for row in self.tools.rows.rows if row.key == name)
        self.tools.set_checked(name, not (isinstance(row, CheckRow) and row.is_checked))

    def _parse_name(self, name: str) -> str:
        if not name:
            raise ValueError(tr("Enter a name for the persona."))
        return name

    def _is_right(self, *more: FormEntry) -> bool:
        entries = (*more, self.temperature, self.top_p, self.max_output, self.folder)
        wrong = [widget for entry in entries if (widget := entry.check()) is not None]
        if wrong:
            wrong[0].setFocus(Qt.FocusReason.OtherFocusReason)
            self.area.ensureWidgetVisible(wrong[0])
        return not wrong

    def _keep(self) -> None:
        """Store the edited settings as a persona, and make it the conversation's persona."""
        if not self._is_right(self.name):
            return
        name = self.name.value()
        written = self.written(name)
        prompt = self.prompt.value() if written.setup.system_prompt is None else written.setup.system_prompt
        model = self._here.model if self.with_model.value() else ""
        persona = replace(written, model=model, setup=replace(written.setup, persona="", system_prompt=prompt))
        if name not in self.personas:
            self.persona.select.addItem(name, name)
        self.personas[name] = persona
        self.persona.select.choose(name)
        self.remove.show()
        self.name.explain(tr("Saved. It is offered for new conversations."))
        self.persona_saved.emit(persona)

    def _remove(self) -> None:
        name = self.persona.chosen()
        self.personas.pop(name, None)
        self.persona.select.removeItem(self.persona.select.findData(name))
        self.persona.select.choose("")
        self.remove.hide()
        self.persona_removed.emit(name)

    def _save(self) -> None:
        if self._is_right():
            self.save_requested.emit(self.written(self.persona.chosen()))
            self.accept()
