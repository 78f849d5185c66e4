"""A request as a curl command: run by a real shell, it sends what the app sends; the key is nowhere in it."""

from __future__ import annotations

import asyncio
import os
import shutil

import pytest

from builders import system
from desktop_app.conversation.message import Message, Role, Text, user_message
from desktop_app.conversation.setup import ReplyOptions
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.litellm_model import curl_of
from kinds_of_server import EACH, KEY, Kind, in_dialect
from provider import Reply
from tool_rounds import READ, answered, called

NASTY = 'It\'s "quoted", $HOME `id` \\ and 世界 👋🏽\nJSON\n' + "x" * 200_000
SAID = (
    system("Be brief."),
    user_message("Hello"),
    called("call_1"),
    answered("call_1"),
    Message(role=Role.ASSISTANT, parts=(Text("Read."),)),
    user_message(NASTY),
)

pytestmark = [
    pytest.mark.wire,
    pytest.mark.skipif(shutil.which("curl") is None or shutil.which("sh") is None, reason="there is no curl here"),
    pytest.mark.parametrize("kind", **EACH),
]


async def test_the_command_sends_what_the_app_sends(kind: Kind, litellm: LiteLLM) -> None:
    with kind.provider(Reply("Hello."), Reply("Hello, curl.")) as provider:
        model = kind.model_at(provider, litellm)
        request = in_dialect(model.info, SAID, 4_000, (READ,))
        options = ReplyOptions(temperature=0.3, reasoning_effort="high")
        async for _ in model.stream(*request, options):
            pass
        command = await curl_of(model, *request, options)
        assert len(provider.requests) == 1, "nobody was asked for it"
        assert KEY not in command
        environment = {**os.environ, "PALIMPSEST_KEY_TEST_SERVER": KEY}
        shell = await asyncio.create_subprocess_exec(
            "sh", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=environment
        )
        printed, _ = await asyncio.wait_for(shell.communicate(command.encode()), 60)
        ours, theirs = provider.requests
    assert theirs.body == ours.body
    assert theirs.authorization == ours.authorization
    assert b"Hell" in printed, "it was answered as the app is"


async def test_a_server_without_a_key_gets_none(kind: Kind, litellm: LiteLLM) -> None:
    with kind.provider(Reply("Hello.")) as provider:
        model = kind.model_at(provider, litellm, key="")
        assert "PALIMPSEST_KEY" not in await curl_of(model, *in_dialect(model.info, SAID, 9))
