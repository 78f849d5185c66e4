"""What the replies and refusals of a provider tell of a model's window, where its server says something else."""

from __future__ import annotations

from .ports import ModelError

MIN_LIMIT = 512
"""A smaller window than this is not what a provider's error means by its number."""


class LearnedWindow:
    """The size of a window as one conversation has learned it."""

    def __init__(self) -> None:
        self.tokens = 0
        """0: nothing was learned."""
        self._is_stated_trusted = False

    @property
    def is_unchanged(self) -> bool:
        """Whether nothing was learned, and the user has said nothing about it."""
        return not self.tokens and not self._is_stated_trusted

    def learn(self, error: ModelError) -> None:
        """Take over the size of the window from the error of a provider that refused a request, if it is given."""
        if error.is_overflow and error.limit >= MIN_LIMIT:
            self.tokens = error.limit

    def suspect(self, tokens: int) -> bool:
        """Assume a window of that many tokens, as its server seems to have. Return False if the user knows better."""
        if self._is_stated_trusted or tokens < MIN_LIMIT:
            return False
        self.tokens = tokens
        return True

    def trust_stated(self) -> None:
        """Forget what was learned, as the user asked; suspicions are ignored from now on."""
        self.tokens, self._is_stated_trusted = 0, True
