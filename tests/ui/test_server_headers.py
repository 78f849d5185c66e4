"""The headers and the patience of a model server in its form."""

from __future__ import annotations

import pytest

from desktop_app.settings import Server
from desktop_app.ui.settings.server_form import SAVED, ServerForm

STORED = Server("home", "http://h/v1", ("m",), headers={"X-Team": "blue", "X-Api-Token": ""})


@pytest.fixture
def form(qtbot) -> ServerForm:
    form = ServerForm(STORED, "", "")
    qtbot.addWidget(form)
    return form


def test_a_stored_secret_is_not_shown_and_kept(form):
    assert form.headers.area.toPlainText() == f"X-Team: blue\nX-Api-Token: {SAVED}"
    assert form.check() is None
    assert form.server() == STORED
    assert form.keys() == {}


def test_a_secret_that_is_entered_is_kept_like_a_key_and_not_in_the_settings(form):
    form.headers.area.setPlainText("X-Team: red\nX-Api-Token: tok:1\nAuthorization: Basic abc=")
    form.patience.edit.setText("600")
    server = form.server()
    assert server.headers == {"X-Team": "red", "X-Api-Token": "", "Authorization": ""}
    assert server.patience == 600
    assert form.keys() == {"header/home/x-api-token": "tok:1", "header/home/authorization": "Basic abc="}
    assert form.as_written().headers["X-Api-Token"] == "tok:1", "a test sends it"


def test_a_secret_that_is_deleted_is_removed_with_its_line_and_with_its_server(form):
    form.headers.area.setPlainText("X-Team: blue")
    assert form.keys() == {"header/home/x-api-token": ""}
    assert form.stored_keys() == ("header/home/x-api-token",)


def test_a_renamed_server_needs_its_secrets_again(form):
    form.name.edit.setText("office")
    assert form.check() is form.headers.control
    form.headers.area.setPlainText("X-Api-Token: tok")
    assert form.check() is None
    assert form.keys() == {"header/home/x-api-token": "", "header/office/x-api-token": "tok"}


@pytest.mark.parametrize("text", ["X-Team", "X Team: blue", "X-Team:", "Host: other", ": x", f"Else: {SAVED}"])
def test_what_is_no_header_is_not_saved(form, text):
    form.headers.area.setPlainText(text)
    assert form.check() is form.headers.control
    assert form.headers.error()


def test_the_patience_is_a_number_of_seconds(form):
    form.patience.edit.setText("soon")
    assert form.check() is form.patience.edit
