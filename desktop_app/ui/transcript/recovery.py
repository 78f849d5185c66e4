"""What can be done about a turn that failed, by what failed. Pure."""

from __future__ import annotations

from .display_list import Action

_TOO_LARGE = (Action.OPTIMIZE_AND_RETRY, Action.START_FRESH, Action.SWITCH_MODEL, Action.EXPORT)
_AGAIN = (Action.TRY_AGAIN,)

WAYS_OUT: dict[str, tuple[Action, ...]] = {
    "overflow": _TOO_LARGE,
    "window_too_small": _TOO_LARGE,
    "nearly_full": (Action.OPTIMIZE_AND_RETRY, Action.SEND_ANYWAY, Action.START_FRESH, Action.SWITCH_MODEL),
    "silent_cut": (Action.OPTIMIZE_AND_RETRY, Action.USE_OWN_WINDOW, Action.SWITCH_MODEL),
    "rate_limit": (Action.TRY_AGAIN, Action.SWITCH_MODEL),
    "server": (Action.TRY_AGAIN, Action.SWITCH_MODEL),
    "timeout": _AGAIN,
    "connection": (Action.TRY_AGAIN, Action.OPEN_SETTINGS),
    "cut": _AGAIN,
    "garbage": (Action.TRY_AGAIN, Action.SWITCH_MODEL),
    "provider": _AGAIN,
    "engine": _AGAIN,
    "disk": _AGAIN,
    "auth": (Action.OPEN_SETTINGS, Action.TRY_AGAIN),
    "address": (Action.OPEN_SETTINGS, Action.TRY_AGAIN),
    "window_unknown": (Action.OPEN_SETTINGS, Action.TRY_AGAIN, Action.SWITCH_MODEL),
    "quota": (Action.OPEN_SETTINGS, Action.SWITCH_MODEL, Action.TRY_AGAIN),
    "content_filter": (Action.EDIT_MESSAGE, Action.TRY_AGAIN),
    "malformed": (Action.EXPORT, Action.START_FRESH),
    "unsupported": (Action.SWITCH_MODEL,),
    "not_found": (Action.OPEN_SETTINGS, Action.SWITCH_MODEL, Action.TRY_AGAIN),
    "rounds": (Action.GO_ON, Action.OPEN_SETTINGS),  # not "Try again": that would begin the many rounds anew
}
"""For each kind of Failure, the first being what helps most often. Nothing of this is ever done by itself."""

SETTING_WORDS = {
    "key": "Enter the key…",
    "address": "Change the address…",
    "models": "Change the model…",
    "window": "Enter the window…",
}
"""What the way into the settings is called, by the field that it leads to."""


def ways_out(kind: str) -> tuple[Action, ...]:
    """What the card of such a failure offers; nothing where nothing helps."""
    return WAYS_OUT.get(kind, ())
