"""The protocol between the window and the engine: frozen structs as JSON lines, typed on both sides.

A request names the type of its response: pyright knows that `await bridge.ask(ListModels())` is a `ModelsListed`.
To add an action: define the two classes in the module of their area here, and a function that `@responds` to the
request in the area's `*_responses` module of `engine/requests`.
"""

from .base import *
from .context_requests import *
from .conversation_requests import *
from .lines import *
from .settings_requests import *
from .turn_requests import *
