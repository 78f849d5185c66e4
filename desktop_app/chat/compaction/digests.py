"""Have the utility role's model write the digest of old tool results, where the policy wants that (P5)."""

from __future__ import annotations

import asyncio
import logging

from desktop_app.chat.complete import complete
from desktop_app.chat.ports import ModelError
from desktop_app.chat.roles import RoleModel
from desktop_app.context.masking import mask_secrets
from desktop_app.context.prune.digest import NAME, digest_input, digested_exchanges, with_digest
from desktop_app.context.prune.exchange import exchanges_of
from desktop_app.conversation.message import Message, Role, Text
from desktop_app.conversation.transcript import AuxiliaryUsage, Prune

from .snapshot import ContextSnapshot

MAX_TOKENS = 600
"""Of the reply: twice what `digest_model_most` characters take."""
MAX_SECONDS = 30.0

log = logging.getLogger(__name__)


def wants_model(prune: Prune, snapshot: ContextSnapshot) -> bool:
    """Whether the prune has a digest that the policy wants a model to write."""
    return snapshot.policy.digest_by == "model" and any(pruned.strategy == NAME for pruned in prune.results)


async def digest_by_model(
    prune: Prune, snapshot: ContextSnapshot, role: RoleModel, prompt: str
) -> tuple[Prune, AuxiliaryUsage | None]:
    """Return the prune with the model's digest, unchanged if that fails or frees nothing, and the usage.

    prompt: {most} in it is replaced by how many characters the digest may have.
    """
    results = await asyncio.to_thread(_results_to_digest, prune, snapshot)
    prompt = prompt.replace("{most}", f"{snapshot.policy.digest_model_most:,}")
    messages = (Message(role=Role.SYSTEM, parts=(Text(prompt),)), Message(role=Role.USER, parts=(Text(results),)))
    try:
        reply = await complete(role.model, messages, max_tokens=MAX_TOKENS, seconds=MAX_SECONDS, price=role.price)
    except ModelError as error:
        log.info("old results are digested by rule, because %s", error.failure.title)
        return prune, None
    better = with_digest(prune, mask_secrets(reply.text.strip()), snapshot.policy, snapshot.counts)
    return (better if better.tokens_after < better.tokens_before else prune), reply.used_for("digest")


def _results_to_digest(prune: Prune, snapshot: ContextSnapshot) -> str:
    exchanges = exchanges_of(snapshot.view, snapshot.policy, snapshot.budget, snapshot.counts)
    return mask_secrets(digest_input(digested_exchanges(exchanges, prune), snapshot.policy))
