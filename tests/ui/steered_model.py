"""What a scripted provider answers in tests of the window: the user's message says what its model does.

"!wait" replies without an end, "!flood N" with N deltas at once, "!fail" is refused, "!overflow" does not fit, "!tool
COMMAND" calls bash, "!tools" bash and web_fetch at once, "!look" a tool that nobody has to allow; what they find has a
short reply, anything else a Markdown reply of several deltas.
"""

from __future__ import annotations

import json

from provider import AnyStep, Call, Overflow, Reply, Request, Status
from provider_shapes import Shape

REPLY = (
    "The tests pass. Two things remain:\n\n1. `currency` still allows null.\n2. The down step drops data.\n\n"
    "```python\ndef down() -> None:\n    ...\n```\n"
)
ENDLESS = "".join(f"word{n} " for n in range(10_000))
AFTER_TOOLS = "Built."


class SteeredModel:
    """A script of a provider. window: tokens that its model has."""

    def __init__(self, window: int = 8_192) -> None:
        self.window = window

    def take(self, request: Request, shape: Shape) -> AnyStep:
        """The step that answers it."""
        if request.role == "tool":
            return Reply(AFTER_TOOLS, usage=None)
        word, _, rest = request.text.partition(" ")
        match word:
            case "!wait":
                return Reply(ENDLESS, size=6, per_second=100, usage=None)
            case "!flood":
                return Reply("".join(f"word{n} " for n in range(int(rest))), size=40, usage=None)
            case "!fail":
                return Status(400, "The model did not answer")
            case "!overflow":
                return Overflow()
            case "!tool":
                return _calls(_bash(rest))
            case "!tools":
                return _calls(_bash("rm -rf build"), Call("web_fetch", '{"url": "https://example.org/a"}', "call_2"))
            case "!look":
                return _calls(Call("recall", '{"query": "Question"}'))
            case _:
                return Reply(REPLY, size=30, usage=None)


def _bash(command: str) -> Call:
    return Call("bash", json.dumps({"command": command}))


def _calls(*calls: Call) -> Reply:
    return Reply(calls=calls, size=400, usage=None)
