"""A list of cards makes them once somebody sees it."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop_app.ui.widgets.boxes import Card, CardList


def test_cards_that_nobody_sees_are_made_once_they_are_shown(qapp, qtbot) -> None:
    made = list[str]()

    def make(item: str, old: Card | None) -> Card:
        made.append(item)
        return Card()

    pages = QStackedWidget()
    qtbot.addWidget(pages)
    listed: CardList[str, Card] = CardList(make, "none")
    pages.addWidget(QWidget())
    pages.addWidget(listed)
    pages.show()
    listed.set_items({"a": "first", "b": "other"})
    listed.set_items({"a": "first", "c": "new"})
    assert made == []
    pages.setCurrentWidget(listed)
    assert made == ["first", "new"]
    listed.set_items({"c": "new", "d": "newer"})
    assert made == ["first", "new", "newer"], "what is seen is made at once, and what is the same stays"
    pages.setCurrentIndex(0)
    listed.set_items({"e": "unseen"})
    assert list(listed.cards) == ["e"], "whoever asks for the cards gets them"
    assert made[3:] == ["unseen"]
