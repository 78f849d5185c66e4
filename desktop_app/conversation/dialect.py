"""How the requests for one model differ from those that every provider accepts."""

from __future__ import annotations

from typing import Literal

import msgspec

ReturnedReasoning = Literal["", "running", "always"]
"""None; those of the turn under way; those, and a blank for each that is left out."""


class Dialect(msgspec.Struct, frozen=True):
    """What is done to a request before it is counted and sent; see `context/view/dialect.py`."""

    record_name: str = ""
    """How the record names the model: its own provider metadata goes back to it, that of others does not."""
    returns_metadata: bool = True
    returned_reasoning: ReturnedReasoning = ""
    supports_vision: bool = True
    supports_tools: bool = True
    joins_duplicate_calls: bool = False
    """Of calls in one message with the same name and arguments only one is sent, and their results as one."""
    breaks_control_tokens: bool = False
    """Its server would read control tokens of its template in a text as what they say; see control_tokens.py."""
    declares_called_tools: bool = False
    """Calls of tools that are not on offer any more are refused, unless the tools are declared."""
