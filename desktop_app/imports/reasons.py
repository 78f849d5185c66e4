"""Why something could not be read, in words for the user: the window shows them in its language."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.conversation.words import translatable

NO_MESSAGES = translatable("it has no messages")
NOT_JSON = translatable("this is not JSON")
NOT_WHOLE = translatable("it is not whole, or not JSON")
NOT_AN_OBJECT = translatable("this is not a JSON object")


def without_messages(unread: Sequence[str] = ()) -> str:
    """Return that there are no messages, with the first of what could not be read."""
    return translatable("it has no messages; {problem}").format(problem=unread[0]) if unread else NO_MESSAGES


def bad_line(number: int, problem: str) -> str:
    """Return what is wrong in a line, which are counted from 1."""
    return translatable("line {number} cannot be read: {problem}").format(number=number, problem=problem)


def bad_element(number: int, problem: str) -> str:
    """Return what is wrong in an element of a list, which are counted from 1."""
    return translatable("element {number} cannot be read: {problem}").format(number=number, problem=problem)


def bad_message(number: int, problem: str) -> str:
    """Return what is wrong in a message, which are counted from 1."""
    return translatable("message {number} cannot be read: {problem}").format(number=number, problem=problem)
