"""Days as each language writes them, also in the chips of a search."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from PySide6.QtWidgets import QApplication

from desktop_app.ui.palette.search_palette import text_of_days
from desktop_app.ui.sidebar.arrangement import age_text
from desktop_app.ui.translation import use_language
from desktop_app.ui.widgets.number_formats import format_day, format_time

pytestmark = pytest.mark.usefixtures("language_is_restored")
FIRST, LAST = date(2025, 5, 3), date(2025, 7, 31)


@pytest.mark.parametrize(
    ("language", "day", "span", "since"),
    [
        ("en", "3 May 2025", "3 May – 31 Jul 2025", "since 3 May 2025"),
        ("de", "3. Mai 2025", "3. Mai – 31. Juli 2025", "seit 3. Mai 2025"),
    ],
)
def test_a_day_is_written_as_its_language_does(
    qapp: QApplication, language: str, day: str, span: str, since: str
) -> None:
    use_language(qapp, language)
    assert (format_day(FIRST), text_of_days(FIRST, FIRST)) == (day, day)
    assert (text_of_days(FIRST, LAST), text_of_days(FIRST, None)) == (span, since)
    then, now = datetime(2025, 5, 3, 12).timestamp(), datetime(2026, 5, 3, 12).timestamp()
    assert age_text(then, now) == day
    assert format_time(then, now).strip("\u2068\u2069") == day
