"""What is done for a turn before it is asked for, so that it starts sooner."""

from __future__ import annotations

import logging

from .ports import Emit, WorldError
from .services import Services
from .session import Session
from .tasks import Tasks
from .turn.prepare import record_first_context

EQUIP_SECONDS = 0.3
"""The longest that opening a conversation waits for the tools on offer."""

log = logging.getLogger(__name__)


async def equip_session(session: Session, services: Services, publish: Emit) -> None:
    """Record what the first request will carry, if that is due. Errors are logged: the first turn tells the user."""
    try:
        if await record_first_context(session, services):
            publish(session.gauge_changed())
    except WorldError as error:
        log.warning("what a request carries was not recorded: %s", error)


async def prepare_model(session: Session, tasks: Tasks) -> None:
    """Let a local model start, and read the conversation."""
    # A task of its own: a message sent meanwhile, which ends this one, needs the server just as well.
    key = f"start of {session.model_info.id}"
    tasks.start_once(key, session.model.prepare)
    await tasks.wait(key)
    if session.gauge().total <= session.budget.usable:
        await session.model.read_ahead(session.assemble()[0])
