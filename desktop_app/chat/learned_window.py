"""Learn a model's window from a provider's replies and refusals, where its server reports something else."""

from __future__ import annotations

from desktop_app.context.counting.calibration import Report
from desktop_app.conversation.message import Usage

from .ports import ModelError
from .turn.request import Request

MIN_LIMIT = 512
"""A smaller window than this is not what a provider's error means by its number."""

MAX_TIMES = 8
"""A provider's figure that differs from our count by more than this factor is not about that request."""


def refused_report(error: ModelError, sent: Request) -> Report | None:
    """Return what the error of a refused request reports of its prompt; None if it does not say, or what cannot be."""
    if not error.is_overflow or error.limit < MIN_LIMIT or not error.observed:
        return None
    prompt = error.observed - error.reply
    can_be = sent.counted <= MAX_TIMES * prompt and prompt <= MAX_TIMES * sent.counted
    return Report(sent.counted, sent.items, Usage(prompt, 0)) if can_be else None


class LearnedWindow:
    """The size of a window as one conversation has learned it."""

    def __init__(self) -> None:
        self.tokens = 0
        """0: nothing was learned."""
        self.refused: Report | None = None
        """The newest refused request of which the provider said how long it is."""
        self._is_stated_trusted = False

    @property
    def is_unchanged(self) -> bool:
        """Whether nothing was learned, and the user has said nothing about it."""
        return not self.tokens and not self._is_stated_trusted

    def learn(self, error: ModelError, refused: Report | None = None) -> None:
        """Take over the size of the window from the error of a provider that refused a request, if it is given, and
        what it reports of the request."""
        if error.is_overflow and error.limit >= MIN_LIMIT:
            self.tokens = error.limit
            self.refused = refused or self.refused

    def suspect(self, tokens: int) -> bool:
        """Assume a window of that many tokens, as its server seems to have. Return False if the user knows better."""
        if self._is_stated_trusted or tokens < MIN_LIMIT:
            return False
        self.tokens = tokens
        return True

    def trust_stated(self) -> None:
        """Forget what was learned, as the user asked; suspicions are ignored from now on."""
        self.tokens, self.refused, self._is_stated_trusted = 0, None, True
