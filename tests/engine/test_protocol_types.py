"""The protocol is typed end to end. pyright reads this file too, and reports a line whose type differs."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, assert_type, get_args, get_type_hints

import pytest

from desktop_app.engine import protocol as p
from desktop_app.engine.requests import context, conversations, settings, tools, turns

if TYPE_CHECKING:
    from desktop_app.ui.bridge import Bridge

REQUESTS: tuple[type[p.EngineRequest], ...] = get_args(p.AnyRequest)


async def asked(bridge: Bridge, one: p.PinMessage | p.UnpinMessage, plan: p.PlanOptimize | p.WriteSummary) -> None:
    """Never called: what a type checker knows of a response by its request."""
    assert_type(await bridge.ask(p.ListModels()), p.ModelsListed)
    assert_type(await bridge.ask(p.UndoOperation("c", "o")), p.Done)
    assert_type(await bridge.ask(p.OpenConversation("c")), p.ConversationOpened)
    assert_type(await bridge.ask(one), p.Done)
    assert_type(await bridge.ask(plan), p.Plan)
    p.UndoOperation("c", "o").respond_with(p.Welcome(1))  # pyright: ignore[reportArgumentType]
    bridge.post(p.ListModels())  # pyright: ignore[reportArgumentType]


def leaves(kind: type) -> set[type]:
    below = kind.__subclasses__()
    return set().union(*(leaves(one) for one in below)) if below else {kind}


def test_each_request_is_in_the_union_of_its_area() -> None:
    assert set(REQUESTS) == leaves(p.EngineRequest)


@pytest.mark.parametrize("area", [conversations, turns, context, tools, settings])
def test_the_engine_reports_a_request_that_it_does_not_carry_out(area: object) -> None:
    assert get_args(get_type_hints(area.respond)["request"])  # type: ignore[attr-defined]
    assert "assert_never(request)" in inspect.getsource(area.respond)  # type: ignore[attr-defined]


def test_a_response_of_another_type_is_refused() -> None:
    assert p.ListModels().checked(p.ModelsListed(())) == p.ModelsListed(())
    with pytest.raises(TypeError, match="ListModels got the response Done"):
        p.ListModels().checked(p.Done())
    assert all(issubclass(request.response_type(), p.EngineResponse) for request in REQUESTS)
