"""The page of policies, to choose one, change its numbers, see their effect, and use it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLineEdit, QWidget

from desktop_app.context.policy import BALANCED, Budget, ContextPolicy, PolicyTrial
from desktop_app.context.policy_fields import GROUPS
from desktop_app.context.presets import PRESETS, differences, find_policy, own_policy_of
from desktop_app.conversation.setup import OwnPolicy
from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import PolicyReplayed
from desktop_app.settings import Settings
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import ScrollColumn
from desktop_app.ui.widgets.buttons import Button, ButtonKind, LinkButton
from desktop_app.ui.widgets.inputs import Select
from desktop_app.ui.widgets.layouts import UNBOUNDED, horizontal, set_margins, vertical
from desktop_app.ui.widgets.look import BOLD, scale
from desktop_app.ui.widgets.sheet import Sheet
from desktop_app.ui.widgets.text_label import TextLabel

from .effect_pane import EffectPane
from .field_row import FieldGroupView
from .policy_words import Window, policy_label

WIDTH, NARROW = 1_080, 800  # pixels; below NARROW, the effect is above the fields
PANE_WIDTH, PANE_HEIGHT = 350, 190  # pixels: width of the effect next to the fields, height above them
PANE_SHARE = 0.3  # maximum share of a narrow sheet's height for the effect
PAUSE, LONG_PAUSE = 120, 500  # milliseconds from a change to the requests for the effect now and over the past
NEW_NAME = translatable("Mine")


class PolicySheet(Sheet):
    """Signals: used(name, OwnPolicy or None if it is already stored unchanged, is_everywhere); removed(name);
    tried(OwnPolicy) and compared(before, after), answered by `show_trial` and `show_past`."""

    low = 460  # a lower sheet has no space for two scrolling areas
    used = Signal(str, object, bool)
    removed = Signal(str)
    tried = Signal(object)
    compared = Signal(object, object)

    def __init__(
        self, settings: Settings, chosen: str, title: str, uses: Mapping[str, int], parent: QWidget | None = None
    ) -> None:
        """chosen: the policy of the open conversation. title: its title; "" if none is open. uses: the number of
        conversations that use each policy."""
        super().__init__(parent, width=WIDTH, title=tr("Making room"))
        self._own = settings.policies
        self._uses = uses
        self._in_use = find_policy(chosen, self._own) or BALANCED
        self._window: Window | None = None
        self._has_conversation = bool(title)
        self.groups: list[FieldGroupView] = []
        self.select = Select()
        self.name = QLineEdit()
        self.differs = TextLabel(size=13, tint="ink_soft", wraps=True)
        self.undo, self.remove = LinkButton(tr("Undo changes")), LinkButton(tr("Delete this policy"))
        self.area = ScrollColumn(spacing=20)
        self.effect = EffectPane(title)
        self.close_button = Button(tr("Cancel"))
        self.use_here = Button(tr("Only in this conversation"))
        self.use_everywhere = Button(tr("Use everywhere"), ButtonKind.PRIMARY)
        self._pause = QTimer(self, interval=PAUSE, singleShot=True)
        self._long_pause = QTimer(self, interval=LONG_PAUSE, singleShot=True)
        self._fill_select()
        self._arrange()
        self._connect()
        self.choose(self._in_use.name)
        self.steps = self._build()

    # What is shown

    def choose(self, name: str) -> None:
        """Show the policy of that name as it is stored."""
        self.stored = find_policy(name, self._own) or BALANCED
        own = next((one for one in self._own if one.name == name), None)
        self.base = PRESETS.get(own.based_on if own else name, BALANCED)
        self._set_draft(self.stored)
        self.name.setText(self.stored.name if own else "")
        self.name.setCursorPosition(0)

    def unsaved(self) -> str:
        is_same = replace(self.policy, name="") == replace(self.stored, name="")
        return "" if is_same else tr("Discard your changes?")

    def show_trial(self, trial: PolicyTrial) -> None:
        """Show the effect of the draft now."""
        self._window = Window(Budget(trial.after.window, trial.after.reserve, spare=trial.after.spare), trial.acting)
        self.effect.show_trial(trial)
        self._show_fields()

    def show_past(self, before: OwnPolicy, after: OwnPolicy, replayed: PolicyReplayed) -> None:
        """Show the past under both policies."""
        self.effect.show_past(replayed, policy_label(before.name), policy_label(after.name))

    def draft(self) -> OwnPolicy:
        """Return the policy as it is shown."""
        return own_policy_of(self.policy, self.base.name)

    def set_field(self, field: str, value: object) -> None:
        """Change a number. Changing a preset creates a policy of the user."""
        self._set_draft(replace(self.policy, **{field: value}))

    def take_focus_to(self, field: str) -> None:
        """Focus the number of a field that is not folded, so that the user can type at once."""
        row = next((group.rows[field] for group in self.groups if field in group.rows), None)
        if row is not None and row.edit is not None:
            self.area.ensureWidgetVisible(row)
            row.edit.setFocus(Qt.FocusReason.TabFocusReason)

    # What the user does

    def _set_draft(self, policy: ContextPolicy) -> None:
        """Show a policy, and request its effect after a pause."""
        is_same = replace(policy, name=self.stored.name) == self.stored
        if is_same:
            policy = self.stored
        elif policy.name in PRESETS:
            policy = replace(policy, name=self._new_name())
            self.name.setText(policy.name)
        self.policy = policy
        self._show_fields()
        self._show_differences(is_same)
        if self._has_conversation:
            self._pause.start()
            self._long_pause.start()

    def _show_fields(self) -> None:
        for group in self.groups:
            group.show_policy(self.policy, self.base, self._window)

    def _show_differences(self, is_same: bool) -> None:
        count = len(differences(self.policy, self.base.name))
        is_own = self.stored.name not in PRESETS
        base = policy_label(self.base.name)
        words = tr("Differs from {policy} in %n numbers", "", count) if count else tr("The numbers of {policy}")
        used = tr("used in %n conversations", "", self._uses.get(self.stored.name, 0))
        parts = (words.format(policy=base), *([used] if is_same or is_own else []))
        self.differs.set_text(" · ".join(parts))
        self.undo.setVisible(not is_same)
        self.remove.setVisible(is_same and is_own)
        self.name.setVisible(is_own or not is_same)

    def _new_name(self) -> str:
        taken = {one.name for one in self._own}
        mine = tr(NEW_NAME)
        names = (mine, *(f"{mine} {number}" for number in range(2, len(taken) + 3)))
        return next(name for name in names if name not in taken)

    def _ask_now(self) -> None:
        self.tried.emit(self.draft())

    def _ask_past(self) -> None:
        """Request the past under the draft, and under the policy in use, or the preset if that equals the draft."""
        after = self.draft()
        other = self._in_use if replace(self._in_use, name="") != replace(self.policy, name="") else self.base
        based_on = next((one.based_on for one in self._own if one.name == other.name), other.name)
        self.effect.wait_for_past()
        self.compared.emit(own_policy_of(other, based_on), after)

    def _use(self, is_everywhere: bool) -> None:
        """Use the draft, unless its name is invalid or taken."""
        if self.name.isHidden():
            self.used.emit(self.stored.name, None, is_everywhere)
            self.accept()
            return
        name = " ".join(self.name.text().split())
        others = {one.name for one in self._own} - {self.stored.name}
        if not name or name.lower() in PRESETS or name in others:
            self.differs.set_text(tr("Enter a name that no other policy has."))
            self.name.setFocus()
            return
        own = own_policy_of(replace(self.policy, name=name), self.base.name)
        self.used.emit(name, own, is_everywhere)
        self.accept()

    def _remove(self) -> None:
        self.removed.emit(self.stored.name)
        self.accept()

    # How it is made

    def _build(self) -> Iterator[QWidget]:
        for group in GROUPS:
            view = FieldGroupView(group)
            view.changed.connect(self.set_field)
            self.groups.append(view)
            self.area.add(view)
            view.show_policy(self.policy, self.base, self._window)
            yield view
            yield from view.build()

    def _fill_select(self) -> None:
        for one in self._own:
            if one.name and one.name not in PRESETS:
                self.select.addItem(one.name, one.name)
        for name in PRESETS:
            self.select.addItem(policy_label(name), name)
        self.select.choose(self._in_use.name)
        self.select.setAccessibleName(tr("Policy"))
        self.name.setAccessibleName(tr("Name of your policy"))
        self.name.setPlaceholderText(tr("Name"))

    def _arrange(self) -> None:
        self.select.setMaximumWidth(scale(220))
        self.name.setMaximumWidth(scale(180))
        self.name.setMinimumWidth(scale(80))
        kept = self.undo.sizePolicy()
        kept.setRetainSizeWhenHidden(True)  # so that nothing moves under the mouse when it appears
        self.undo.setSizePolicy(kept)
        title = TextLabel(self.windowTitle(), size=17, weight=BOLD)
        choice = horizontal((title, 1), self.name, self.select, spacing=10)
        about = horizontal((self.differs, 1), self.undo, self.remove, spacing=10)
        chosen, numbers = QWidget(), QWidget()
        chosen.setLayout(choice)
        numbers.setLayout(about)
        above = vertical(spacing=6, margins=(24, 18, 24, 0))
        set_margins(self.area.column, 0, 0, 16, 4)
        self.area.viewport().setAutoFillBackground(True)  # opaque, so that a repaint skips what is behind it
        self.body = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self.body.setContentsMargins(24, 0, 24, 0)
        self.body.setSpacing(20)
        self.body.addWidget(self.area, 1)
        self.body.addWidget(self.effect)
        footer = self.make_footer(self.close_button, self.use_here, self.use_everywhere)
        vertical(above, (self.body, 1), footer, holder=self, spacing=14)
        self.let_scroll((chosen, numbers), above, self.area)
        self.use_here.setVisible(self._has_conversation)
        self.set_first(self.select)
        self._fit_pane()

    def _connect(self) -> None:
        self.select.activated.connect(lambda _: self.choose(self.select.currentData()))
        self.undo.clicked.connect(lambda _=False: self.choose(self.stored.name))
        self.remove.clicked.connect(lambda _=False: self._remove())
        self.close_button.clicked.connect(self.reject)
        self.use_here.clicked.connect(lambda _=False: self._use(False))
        self.use_everywhere.clicked.connect(lambda _=False: self._use(True))
        self._pause.timeout.connect(self._ask_now)
        self._long_pause.timeout.connect(self._ask_past)

    def set_low(self, is_low: bool) -> None:
        """Let the effect scroll with the fields in a low window."""
        super().set_low(is_low)
        if is_low:
            self.area.column.insertWidget(2, self.effect)
        else:
            self.body.addWidget(self.effect)
        self._fit_pane()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_pane()

    def _fit_pane(self) -> None:
        """Place the effect next to the fields, or above them in a narrow sheet."""
        is_narrow = self.width() < scale(NARROW)
        direction = QBoxLayout.Direction
        self.body.setDirection(direction.BottomToTop if is_narrow else direction.LeftToRight)
        self.effect.setMinimumWidth(0 if is_narrow else scale(PANE_WIDTH))
        self.effect.setMaximumWidth(UNBOUNDED if is_narrow else scale(PANE_WIDTH))
        height = min(scale(PANE_HEIGHT), round(self.height() * PANE_SHARE))
        self.effect.setMaximumHeight(height if is_narrow and not self.is_low else UNBOUNDED)
