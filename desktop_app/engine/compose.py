"""The one file that knows every part: it joins the verbs with the archive, the models, the tools and the keys."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

from desktop_app.archive.archive import ArchiveThread
from desktop_app.chat.compaction.summary_service import SummaryService
from desktop_app.chat.conversations import Conversations
from desktop_app.chat.image_captioner import ImageCaptioner
from desktop_app.chat.memory.auto_recall import AutoRecall
from desktop_app.chat.memory.memory_flusher import MemoryFlusher
from desktop_app.chat.research.research_role import ResearchRole
from desktop_app.chat.services import Services
from desktop_app.chat.title_generator import TitleGenerator
from desktop_app.chat.turn.tool_runtime import ToolRuntime
from desktop_app.context.summary.prompt import Prompts
from desktop_app.conversation.events import Failure, TurnEvent
from desktop_app.conversation.tools import Rule
from desktop_app.models.catalogue import Catalogue
from desktop_app.models.keys import Keys
from desktop_app.models.last_known import LastKnownFile
from desktop_app.paths import database_file, last_known_file, settings_file
from desktop_app.settings import Settings, SettingsDamaged, read_settings
from desktop_app.tools.mcp.source import McpServers
from desktop_app.tools.memory import MemoryTools
from desktop_app.tools.recall_tool import RecallTool
from desktop_app.tools.registry import BuiltinTools, ToolRegistry
from desktop_app.tools.spill import SpillFolder

from .engine import Engine
from .event_coalescer import EventCoalescer
from .prompts import read_flush_prompts, read_prompts, read_words
from .services import EngineServices, keys_of_tools

Report = Callable[[BaseException], None]


async def compose(data: Path, outbox: EventCoalescer, list_changed: Callable[[], None], on_bug: Report) -> Engine:
    """An engine for a window, on that data folder. Raises ArchiveError when the archive cannot be opened."""
    return Engine(await join(data, outbox.publish, list_changed, on_bug), outbox)


async def join(
    data: Path,
    publish: Callable[[TurnEvent], None],
    list_changed: Callable[[], None],
    on_bug: Report,
    changed: Callable[[Settings], Settings] = lambda settings: settings,
    allowed: tuple[Rule, ...] = (),
    is_attended: bool = True,
) -> EngineServices:
    """All parts on that data folder. Raises ArchiveError when the archive cannot be opened.

    changed: the settings of this run, from those that are stored. allowed: what its tools may do beside what the
    settings allow. is_attended: whether somebody is there to answer questions.
    """
    archive = await ArchiveThread.open(database_file(data))
    await archive.recover_partials()
    settings, warnings = await asyncio.to_thread(_settings, settings_file(data))
    settings = changed(settings)
    keys = Keys()
    if settings.servers or settings.mcp_servers:  # the keyring takes a moment; nobody waits who has no use for it
        await keys.load(settings.servers, keys_of_tools(settings))
    last_known = LastKnownFile(last_known_file(data))
    await asyncio.to_thread(last_known.read)
    catalogue = Catalogue(settings, keys.get, last_known=last_known)
    spills = SpillFolder(data / "spills")
    mcp = McpServers(settings.mcp_servers, keys.get, on_bug)
    joined = EngineServices(data, archive, catalogue, keys, mcp, spills, warnings)

    def prompts() -> Prompts:
        return read_prompts(data)  # each time anew, so that a change of the user's holds at once

    def words(name: str) -> str:
        return read_words(data, name)

    def current() -> Settings:
        return joined.settings

    async def recall_room(conversation: str) -> tuple[int, Callable[[str], int]]:
        session = await joined.conversations.open(conversation)
        policy = session.policy
        return min(policy.recall_most, round(session.budget.usable * policy.recall_share)), session.counts.text

    keeper = MemoryFlusher(archive, catalogue, current, lambda: read_flush_prompts(data))
    sources = (
        MemoryTools(archive, lambda: current().is_memory_on),
        BuiltinTools((RecallTool(archive, recall_room),)),
        mcp,
    )
    toolbox = ToolRegistry(sources, spills, current, data)
    joined.toolbox = toolbox
    bench = ToolRuntime(toolbox, spills, current, joined.keep_rule, on_bug, allowed, is_attended)
    joined.tool_runtime = bench

    async def rename(conversation: str, title: str) -> None:
        await joined.conversations.rename(conversation, title)

    services = Services(
        catalogue,
        current,
        SummaryService(catalogue, current, prompts, digest_prompt=partial(words, "digest")),
        on_bug,
        bench,
        keeper,
        AutoRecall(archive, current).of,
        ImageCaptioner(catalogue, current, partial(words, "describe")).describe,
        ResearchRole(catalogue, current, partial(words, "research")),
        TitleGenerator(catalogue, current, partial(words, "title"), rename) if is_attended else None,
    )
    joined.conversations = Conversations(archive, settings, services, publish, list_changed)
    return joined


def _settings(file: Path) -> tuple[Settings, tuple[Failure, ...]]:
    """The settings, or the defaults with a warning that says why."""
    try:
        return read_settings(file), ()
    except SettingsDamaged as error:
        advice = "Choose your settings again, or mend the file that was kept and put it back."
        return Settings(), (Failure("bad_input", "The settings could not be read", str(error), advice=advice),)
    except OSError as error:
        detail = error.strerror or str(error)
        return Settings(), (Failure("disk", "The settings could not be read", detail, advice=f"Check {file}."),)
