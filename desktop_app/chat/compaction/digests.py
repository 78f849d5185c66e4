"""The digest of old tool results by the utility role's model, where the policy wants one (P5), else by rule."""

from __future__ import annotations

import asyncio
import logging

from desktop_app.chat.complete import complete
from desktop_app.chat.ports import ChatModel, ModelError, Price
from desktop_app.context.masking import mask_secrets
from desktop_app.context.prune.digest import NAME, digest_input, digested_exchanges, with_digest
from desktop_app.context.prune.exchange import exchanges_of
from desktop_app.conversation.message import Message, Role, Text
from desktop_app.conversation.transcript import AuxiliaryUsage, Prune

from .snapshot import ContextSnapshot

TOKENS_MOST = 600
"""Of the reply: twice what `digest_model_most` characters take."""
SECONDS_MOST = 30.0

log = logging.getLogger(__name__)


def wants_model(prune: Prune, basis: ContextSnapshot) -> bool:
    """Whether that prune holds a digest which the policy wants a model to write."""
    return basis.policy.digest_by == "model" and any(pruned.strategy == NAME for pruned in prune.results)


async def digest_by_model(
    prune: Prune, basis: ContextSnapshot, model: ChatModel, words: str, price: Price | None
) -> tuple[Prune, AuxiliaryUsage | None]:
    """The prune with the model's digest; as it was where the model fails, or where it would free less than nothing.
    And what the model was asked, if it answered.

    words: of the request; {most} in them is how many characters it may have.
    """
    asked = await asyncio.to_thread(_asked, prune, basis)
    system = Message(role=Role.SYSTEM, parts=(Text(words.replace("{most}", f"{basis.policy.digest_model_most:,}")),))
    question = Message(role=Role.USER, parts=(Text(asked),))
    try:
        reply = await complete(model, "digest", (system, question), TOKENS_MOST, SECONDS_MOST, price)
    except ModelError as error:
        log.info("old results are digested by rule, because %s", error.failure.title)
        return prune, None
    better = with_digest(prune, mask_secrets(reply.text), basis.policy, basis.counts)
    return (better if better.tokens_after < better.tokens_before else prune), reply.upkeep


def _asked(prune: Prune, basis: ContextSnapshot) -> str:
    exchanges = exchanges_of(basis.view, basis.policy, basis.budget, basis.counts)
    return mask_secrets(digest_input(digested_exchanges(exchanges, prune), basis.policy))
