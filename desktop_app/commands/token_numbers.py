"""Numbers of tokens on the command line."""

from __future__ import annotations

import argparse

from desktop_app.models import builtin
from desktop_app.models.token_limits import tokens_from_text


def tokens_argument(text: str) -> int:
    """8192, "128K" or "1M" as a number of tokens, for argparse."""
    try:
        return tokens_from_text(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def max_output_of(model: str | None) -> int:
    """The longest reply of that model, for the reserve; 0 when it is not known here."""
    return builtin.MAX_OUTPUT if model == builtin.MODEL_ID else 0
