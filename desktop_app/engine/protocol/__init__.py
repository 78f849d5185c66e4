"""What crosses the border between the window and the engine: frozen values as JSON lines, typed at both ends.

A request names the type of its response: pyright knows that `await bridge.ask(ListModels())` is a `ModelsListed`.
To add an action: write the two classes in the module of their area here, with the request in that module's union; then
carry it out in the module of the same name in `engine/requests`, where pyright reports the request that is missing.
"""

from .attachments import *
from .base import *
from .computations import *
from .context import *
from .conversations import *
from .data import *
from .imports import *
from .insights import *
from .lines import *
from .policies import *
from .program import *
from .projects import *
from .servers import *
from .settings import *
from .setups import *
from .tools import *
from .turns import *
from .unsent import *
