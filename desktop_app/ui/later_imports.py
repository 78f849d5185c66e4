"""Import slow modules one after the other once the window has settled, so that their first use is quick."""

from __future__ import annotations

import importlib
from functools import partial

from PySide6.QtCore import QTimer

SETTLED_AFTER = 500  # milliseconds after the engine is ready, and between one import and the next
LATER = (  # slow dependencies come before the modules that import them, since each import blocks the window
    "desktop_app.ui.optimize.plan_dialog",
    "desktop_app.permissions.rules",
    "desktop_app.ui.settings.model_choice",
    "desktop_app.ui.settings.server_form",
    "desktop_app.ui.settings.sections",
    "desktop_app.ui.settings.data_section",
    "desktop_app.ui.settings.settings_dialog",
    "desktop_app.ui.projects.project_sheet",
    "desktop_app.ui.tools.tools_sheet",
    "desktop_app.context.ledger.user_rules",
    "desktop_app.context.ledger.facts",
    "desktop_app.context.memory.widening",
    "desktop_app.context.fitting",
    "desktop_app.context.presets",
    "desktop_app.ui.policy.policy_sheet",
    "desktop_app.ui.insights.chart",
    "desktop_app.ui.insights.insights_page",
    "desktop_app.ui.importing.export_sheet",
    "desktop_app.ui.importing.import_sheet",
    "desktop_app.ui.palette.search_palette",
    "desktop_app.ui.palette.command_palette",
    "desktop_app.ui.palette.shortcut_sheet",
)


def import_step_by_step() -> None:
    """Import the modules, one for each timeout."""
    for number, name in enumerate(LATER):
        QTimer.singleShot(SETTLED_AFTER * (number + 1), partial(importlib.import_module, name))
