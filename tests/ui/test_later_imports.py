"""What is imported later is there: a module that was moved or renamed is found before a user waits for it."""

from importlib.util import find_spec

import pytest

from desktop_app.ui.later_imports import LATER


@pytest.mark.parametrize("name", LATER)
def test_the_module_is_there(name: str) -> None:
    assert find_spec(name) is not None
