"""One peer's way of bringing a conversation to so many tokens, timed. Runs in an environment of its own:

    python reducers.py PEER MESSAGES.json TOKENS [TOKENS ...]

Prints a line of JSON for each: seconds (CPU time of the reducing alone: imports, loading o200k and the change into the
peer's own kind of message come before), tokens and messages left without the system prompt, and how many calls lost
their result or results their call.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

NOT_INSTALLED = 3
"""Exit code where the peer's package is missing: one of them needs a newer Python than this environment may have."""

Chat = list[dict[str, Any]]
Prepared = tuple[Callable[[], Any], Callable[[Any], Chat]]
"""What is timed, and how its outcome becomes OpenAI's chat shape again."""


def o200k() -> Any:
    """tiktoken's encoding, from the file that litellm ships: nothing is downloaded."""
    spec = importlib.util.find_spec("litellm")
    assert spec is not None
    assert spec.origin is not None
    os.environ["TIKTOKEN_CACHE_DIR"] = str(Path(spec.origin).parent / "litellm_core_utils" / "tokenizers")
    import tiktoken

    encoding = tiktoken.get_encoding("o200k_base")
    encoding.encode("hello")
    return encoding


class Counter:
    """o200k with OpenAI's frame of four tokens around each message."""

    def __init__(self) -> None:
        self.encoding = o200k()

    def count_tokens(self, text: str) -> int:
        return len(self.encoding.encode_ordinary(text))

    def count_message(self, message: dict[str, Any]) -> int:
        calls = (call["function"] for call in message.get("tool_calls") or [])
        texts = [message.get("content") or "", *(text for call in calls for text in (call["name"], call["arguments"]))]
        return 4 + sum(map(self.count_tokens, texts))


def langchain(chat: Chat, tokens: int, counter: Counter) -> Prepared:
    from langchain_core.messages import convert_to_messages, convert_to_openai_messages, trim_messages

    messages = convert_to_messages(chat)

    def count(some: list[Any]) -> int:
        return sum(counter.count_message(message) for message in convert_to_openai_messages(some))

    def reduce() -> Any:
        return trim_messages(
            messages, max_tokens=tokens, strategy="last", token_counter=count, start_on="human", include_system=True
        )

    return reduce, convert_to_openai_messages


def litellm(chat: Chat, tokens: int, counter: Counter) -> Prepared:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    from litellm.utils import token_counter, trim_messages

    token_counter(model="gpt-4o", text="hello")  # loads its own encoding
    return lambda: trim_messages(chat, model="gpt-4o", max_tokens=tokens, trim_ratio=1.0), list


def openhands(chat: Chat, tokens: int, counter: Counter) -> Prepared:
    """By count, to a quarter of the events, without the model call that writes the summary. It knows no target."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm as _  # noqa: F401  # imported alone first: its lazy modules deadlock when OpenHands imports them
    from openhands.sdk import LLM
    from openhands.sdk.context.condenser import LLMSummarizingCondenser
    from openhands.sdk.context.view import View
    from openhands.sdk.event import MessageEvent
    from openhands.sdk.llm import Message, TextContent

    def event(index: int, text: str, role: str) -> MessageEvent:
        said = Message(role=role, content=[TextContent(text=text)])
        return MessageEvent(id=str(index), source="user" if role == "user" else "agent", llm_message=said)

    roles = {"user": "user", "assistant": "assistant", "tool": "assistant", "system": "user"}
    events = [event(n, message.get("content") or "-", roles[message["role"]]) for n, message in enumerate(chat)]
    condenser = LLMSummarizingCondenser(llm=LLM(model="gpt-4o", api_key="x"), max_size=len(chat) // 2, keep_first=1)

    def reduce() -> Any:
        view = View.from_events(events)
        forgotten, _offset = condenser._get_forgotten_events(view)
        leaving = {event.id for event in forgotten}
        return [event.id for event in view.events if event.id not in leaving]

    return reduce, lambda kept: [chat[int(index)] for index in kept]


def convopack(chat: Chat, tokens: int, counter: Counter) -> Prepared:
    from convopack import Packer
    from convopack.providers.openai import from_openai, to_openai
    from convopack.tokenizers.tiktoken_adapter import TiktokenAdapter

    messages = list(from_openai(chat))
    packer = Packer(budget=tokens, tokenizer=TiktokenAdapter("o200k_base"))
    return lambda: packer.pack(messages).kept, to_openai


def agent_framework(chat: Chat, tokens: int, counter: Counter) -> Prepared:
    from agent_framework import Content, Message
    from agent_framework._compaction import TokenBudgetComposedStrategy, included_messages

    def contents(message: dict[str, Any]) -> list[Any]:
        if message["role"] == "tool":
            return [Content.from_function_result(message["tool_call_id"], result=message["content"])]
        said = [Content.from_text(message["content"])] if message.get("content") else []
        calls = [(c["id"], c["function"]) for c in message.get("tool_calls") or []]
        return said + [Content.from_function_call(i, f["name"], arguments=f["arguments"]) for i, f in calls]

    messages = [Message(message["role"], contents(message), message_id=str(n)) for n, message in enumerate(chat)]
    strategy = TokenBudgetComposedStrategy(token_budget=tokens, tokenizer=counter, strategies=[])

    def reduce() -> Any:
        asyncio.run(strategy(messages))
        return [message.message_id for message in included_messages(messages)]

    return reduce, lambda kept: [chat[int(index)] for index in kept]


PEERS = {
    "langchain-core": langchain,
    "litellm": litellm,
    "openhands-sdk": openhands,
    "convopack": convopack,
    "agent-framework": agent_framework,
}


def unpaired(chat: Chat) -> int:
    """Calls without a result right behind them, and results without a call before them."""
    waiting: list[str] = []
    lost = 0
    for message in [*chat, {"role": "end"}]:
        if message["role"] == "tool":
            if message["tool_call_id"] in waiting:
                waiting.remove(message["tool_call_id"])
            else:
                lost += 1
            continue
        lost += len(waiting)
        waiting = [call["id"] for call in message.get("tool_calls") or []]
    return lost


def main(peer: str, path: str, *targets: str) -> None:
    chat = json.loads(Path(path).read_text())
    counter = Counter()
    try:
        PEERS[peer](chat[:40], 500, counter)[0]()  # some import half of themselves at the first call
    except ModuleNotFoundError as missing:
        print(f"{missing.name} is not installed here", file=sys.stderr)
        sys.exit(NOT_INSTALLED)
    for tokens in map(int, targets):
        print(json.dumps(reduced(peer, chat, tokens, counter)), flush=True)


def reduced(peer: str, chat: Chat, tokens: int, counter: Counter) -> dict[str, float]:
    reduce, as_chat = PEERS[peer](chat, tokens, counter)
    started = time.process_time()
    outcome = reduce()
    seconds = time.process_time() - started
    left = as_chat(outcome)
    return {
        "seconds": seconds,
        "target": tokens,
        "tokens": 3 + sum(map(counter.count_message, left)),
        "messages": sum(message["role"] != "system" for message in left),
        "unpaired": unpaired(left),
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
