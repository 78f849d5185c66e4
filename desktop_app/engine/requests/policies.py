"""Requests about policies: which one a conversation has, and what another one would do in it."""

from __future__ import annotations

from typing import assert_never

from desktop_app.chat.policy_trial import policies_replayed, try_policy, usage_of
from desktop_app.chat.session import Session
from desktop_app.context.own_policies import policy_of
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine


async def respond(engine: Engine, request: p.PolicyRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    session = await engine.conversations.open(request.conversation)
    match request:
        case p.ChoosePolicy():
            await engine.conversations.choose_policy(session.id, request.name)
            await engine.publish(session, [session.gauge_changed()])
            return request.respond_with(p.Done())
        case p.TryPolicy():
            is_automatic = engine.services.settings.is_automatic
            trial = await try_policy(session, policy_of(request.policy), is_automatic)
            return request.respond_with(
                p.PolicyTried(
                    session.gauge(),
                    trial.gauge,
                    trial.acting,
                    trial.archived,
                    trial.pruned,
                    trial.tokens_after,
                    trial.note,
                )
            )
        case p.ReplayPolicy():
            return request.respond_with(await _replay(engine, session, request))
        case _:
            assert_never(request)


async def _replay(engine: Engine, session: Session, request: p.ReplayPolicy) -> p.PolicyReplayed:
    policies = policy_of(request.before), policy_of(request.after)
    price = engine.conversations.models.price(session.info.model)
    before, after, seconds = await engine.compute(
        p.Computation.REPLAY, session.id, policies_replayed(session, *policies)
    )
    cost_before, cost_after = (price.of(usage_of(replayed)) if price else None for replayed in (before, after))
    return p.PolicyReplayed(before, after, cost_before, cost_after, seconds)
