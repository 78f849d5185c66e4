"""Write the summaries of `palimpsest compact`: without a model, by a model, or not at all."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from desktop_app.chat.compaction.snapshot import ContextSnapshot
from desktop_app.chat.compaction.without_model import compact_without_model
from desktop_app.context import sentence_kinds
from desktop_app.context.compact.compaction import CompactionPlan
from desktop_app.conversation.transcript import Compaction
from desktop_app.paths import SENTENCE_KINDS
from desktop_app.settings import Server, Settings

from .arguments import BadInput, data_of

if TYPE_CHECKING:
    from desktop_app.chat.ports import ChatModel
    from desktop_app.models.catalogue import Catalogue

STRATEGIES = ("extractive", "llm", "last_messages")
SERVER = "summary"
"""The name of the server that --base-url specifies; its key, if any, is read from PALIMPSEST_KEY_SUMMARY."""

CarryOut = Callable[[ContextSnapshot, CompactionPlan], Compaction | None]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the option for the strategy, and the options for the model of "llm"."""
    parser.add_argument("--strategy", choices=STRATEGIES, default="extractive")
    parser.add_argument("--summary-model", metavar="NAME", help="for --strategy llm: the model as its server calls it")
    parser.add_argument("--base-url", metavar="URL", help="for --strategy llm: its OpenAI-compatible server")


@contextmanager
def open_writer(arguments: argparse.Namespace) -> Iterator[CarryOut]:
    """Yield a function that carries out a compaction plan. Raises BadInput if "llm" is chosen without a model.

    What speaks to models is imported for "llm" only: it takes as long as everything else that the command does.
    """
    sentence_kinds.load(SENTENCE_KINDS.read_bytes())
    if arguments.strategy != "llm":
        yield partial(compact_without_model, strategy=arguments.strategy)
        return
    if not (arguments.summary_model and arguments.base_url):
        advice = "Give --summary-model NAME and --base-url URL, such as http://127.0.0.1:11434/v1."
        raise BadInput("It is not said which model writes the summary", advice=advice)
    import asyncio

    from desktop_app.chat.compaction.summarize import SummaryRequest, write_compaction
    from desktop_app.context.summary.prompt import Prompts
    from desktop_app.engine.compose import read_prompts
    from desktop_app.models.catalogue import Catalogue
    from desktop_app.models.endpoint import environment_key

    server = Server(SERVER, arguments.base_url, (arguments.summary_model,))
    catalogue = Catalogue(Settings(servers=(server,)), lambda _: environment_key(server))
    prompts = read_prompts(Prompts, data_of(arguments))
    with asyncio.Runner() as runner:  # one loop for all requests, since the connections belong to it
        try:
            model = runner.run(_find_model(catalogue, f"{SERVER}/{arguments.summary_model}"))
            request = SummaryRequest("llm", model, prompts)
            yield lambda snapshot, plan: runner.run(write_compaction(snapshot, plan, request))
        finally:
            runner.run(catalogue.close())


async def _find_model(catalogue: Catalogue, model: str) -> ChatModel:
    """Return the model, after asking its server for its window."""
    await catalogue.discover()
    return catalogue.model(model)
