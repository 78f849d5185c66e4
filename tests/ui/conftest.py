"""A Qt application under qasync's loop, and windows with the real engine: no screen."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import qasync
from engine_in_process import EngineInProcess
from person import Person, exchanges, store_talk
from person import Scene as PersonScene
from PySide6.QtCore import QCoreApplication, QEvent, QLocale, QTranslator, Signal
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget
from steered_model import SteeredModel
from ui_scenes import Run, Scene, in_window, show_widget

from desktop_app.paths import database_file, settings_file
from desktop_app.settings import ModelLimits, Server, Settings, write_settings
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.context_panel.context_panel import ContextPanel
from desktop_app.ui.context_panel.requests import PanelRequests
from desktop_app.ui.engine_process import engine_command
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.style import show_theme
from desktop_app.ui.theme import theme
from desktop_app.ui.transcript.transcript_model import TranscriptModel
from desktop_app.ui.transcript.transcript_widget import TranscriptWidget
from desktop_app.ui.translation import chosen_translator, use_translator
from fake_catalogue import FakeCatalogue, NoKeys, catalogue_of
from forked_engines import forked_command
from provider import AnyStep, Script, ScriptedProvider

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

ALL_TOOLS = (
    "bash", "edit", "glob", "grep", "list", "read", "recall", "save_memory", "web_fetch", "web_search", "write",
)  # fmt: skip
QUIET: dict[str, Any] = {"summaries": "extractive", "is_memory_on": False, "tools_off": ALL_TOOLS}
"""Settings with which nothing is asked of a model but what a test is about."""
TITLE = "Migrating the billing service"
MODELS = {"large": 0, "huge": 200_000, "small": 2_000}
"""Their windows in tokens; 0: that of the test."""
NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def engines_are_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bridge's engine begins with everything imported. Tests that start the window as a process have the real one."""
    monkeypatch.setattr("desktop_app.ui.engine_process.module_command", lambda _, *words: forked_command(*words))


@pytest.fixture(autouse=True, scope="session")
def clipboard_is_left_empty() -> Iterator[None]:
    """What Python has put there would be freed twice at the end of the process."""
    yield
    if QApplication.instance() is not None:
        QApplication.clipboard().clear()


@pytest.fixture
def language_is_restored(qapp: QApplication) -> Iterator[None]:
    before, locale = chosen_translator(), QLocale()
    yield
    use_translator(before)
    QLocale.setDefault(locale)
    for of_qt in qapp.findChildren(QTranslator):
        qapp.removeTranslator(of_qt)


@pytest.fixture(autouse=True)
def widgets_are_gone(qapp: QApplication) -> Iterator[None]:
    """What a test leaves is gone before the next one, also the look of the application: else each new style reaches
    thousands of widgets, and with a style sheet each window takes twice as long."""
    palette, font = qapp.palette(), qapp.font()
    yield
    for widget in qapp.topLevelWidgets():
        widget.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    if qapp.styleSheet():
        theme.show(is_dark=False)
        qapp.setStyleSheet("")
        qapp.setPalette(palette)
        qapp.setFont(font)


@pytest.fixture
def text_size(qapp: QApplication) -> Callable[[float], None]:
    """Shows everything at a text size, until the end of the test."""
    return lambda size: show_theme(qapp, "light", size)


@pytest.fixture
def run(qapp: QApplication) -> Iterator[Run]:
    """Runs a coroutine in the window's kind of event loop. An exception that nobody awaited fails the test."""
    loop = qasync.QEventLoop(qapp)
    unowned: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _, context: unowned.append(context))
    qapp.setQuitOnLastWindowClosed(False)

    def run_in_loop(coroutine: Coroutine[Any, Any, None]) -> None:
        loop.run_until_complete(asyncio.wait_for(coroutine, 240))

    yield run_in_loop
    loop.close()
    gc.collect()  # an exception that nobody awaited is told when its task is collected
    assert unowned == []


@pytest.fixture
def bridge(engine_in_process: None, engine_folder: Callable[..., Settings], data_folder: Path) -> Bridge:
    """A bridge to an engine with two conversations, not started yet. Bugs in tasks fail tests: `stray_exceptions`."""
    engine_folder()
    return Bridge(["engine", str(data_folder)], data_folder / "engine.log")


@pytest.fixture
def window(qtbot):
    """An active window for a dialog to stand on."""
    return show_widget(QWidget(), qtbot, 1_000, 700, is_active=True)


@pytest.fixture
def panel(qtbot) -> Iterator[ContextPanel]:
    """A context panel in an active window, with a field before it."""
    ground, made = QWidget(), ContextPanel()
    column = QVBoxLayout(ground)
    column.addWidget(QLineEdit())
    column.addWidget(made)
    show_widget(ground, qtbot, 400, 900, is_active=True)
    yield made
    ground.close()


@pytest.fixture
def told(panel: ContextPanel) -> list[tuple[Any, ...]]:
    """What the panel asks for from now on: each time the signal's name without "_requested", and its values."""
    asked: list[tuple[Any, ...]] = []
    for name, signal in vars(PanelRequests).items():
        if isinstance(signal, Signal):
            wish = name.removesuffix("_requested")
            getattr(panel.requests, name).connect(lambda *values, wish=wish: asked.append((wish, *values)))
    return asked


@pytest.fixture
def view(qtbot) -> TranscriptWidget:
    """A transcript of its own, empty."""
    return show_widget(TranscriptWidget(TranscriptModel()), qtbot, 800, 600)


def _is_open(window: MainWindow) -> object:
    return window.ui.transcript_model.rowCount() or window.chat._shown


@pytest.fixture
def provider() -> ScriptedProvider:
    """The server of the model of `play`, which is steered by what the user says. Nobody has started it."""
    return ScriptedProvider(SteeredModel(), models=tuple(MODELS))


@pytest.fixture(scope="session")
def stored_talks(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path, int], None]:
    """Puts two conversations into an archive: "c1" with so many messages, and "c2". Each such archive is made once."""
    folder = tmp_path_factory.mktemp("archives")

    def store(data: Path, messages: int) -> None:
        made = folder / str(messages)
        if not made.exists():
            made.mkdir()
            asyncio.run(store_talk(made, exchanges("c2", 4), "c2", "Trip to Lisbon", "scripted/large"))
            asyncio.run(store_talk(made, exchanges("c1", messages), "c1", TITLE, "scripted/large"))
        shutil.copyfile(database_file(made), database_file(data))

    return store


@pytest.fixture
def engine_folder(data_folder: Path, stored_talks: Callable[[Path, int], None]) -> Callable[..., Settings]:
    """Makes the data folder of an engine, with the model that is steered; again, it leaves it as it is.

    messages: of the first of two conversations; 0: there are none. Others are settings. Returns the settings.
    """

    def make(messages: int = 200, window: int = 8_192, address: str = NOWHERE, **changes: Any) -> Settings:
        limits = {name: ModelLimits(tokens or window, (tokens or window) // 4) for name, tokens in MODELS.items()}
        server = Server("scripted", address, tuple(limits), limits=limits)
        quiet = QUIET | {"system_prompt": ""}
        settings = Settings(**{"chat_model": "scripted/large", "servers": (server,), **quiet, **changes})
        if not settings_file(data_folder).exists():
            write_settings(settings_file(data_folder), settings)
            if messages:
                stored_talks(data_folder, messages)
        return settings

    return make


@pytest.fixture
def engine_in_process(provider: ScriptedProvider) -> Iterator[None]:
    """A bridge's engine runs on a thread of this process, whose models are fakes of the provider."""
    bugs: list[BaseException] = []
    with pytest.MonkeyPatch.context() as patch:  # its own, as a test may undo what it has patched itself
        for target, value in {
            "desktop_app.ui.bridge.EngineProcess": EngineInProcess,
            "desktop_app.engine.compose.Catalogue": catalogue_of(provider, FakeCatalogue),
            "desktop_app.engine.compose.Keys": NoKeys,
            "desktop_app.models.builtin.check_model": lambda: "It is not installed.",
            "desktop_app.engine.serve.log_bug": bugs.append,
            "desktop_app.engine.serve.limit_end": lambda: None,
            "desktop_app.engine.serve.ENDING_SIGNALS": (),
        }.items():
            patch.setattr(target, value)
        yield
        EngineInProcess.await_ends()
    assert not bugs


@pytest.fixture
def servers_to_find(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server and a key are found on this machine, whatever is there."""
    local = Server("LM Studio", "http://127.0.0.1:1234/v1", ("qwen-7b", "llama-8b"), kind="lm_studio")
    remote = Server("Anthropic", "", ("claude-sonnet-4-5",), kind="anthropic")

    async def discover() -> tuple[Server, ...]:
        return (local,)

    monkeypatch.setattr("desktop_app.engine.services.discover_local", discover)
    monkeypatch.setattr("desktop_app.engine.services.providers_in_environment", lambda: (remote,))


@pytest.fixture
def play(
    run: Run, engine_in_process: None, engine_folder: Callable[..., Settings], data_folder: Path
) -> Callable[..., None]:
    """Opens the window, waits for the engine, plays a scene, closes in order. A bug in either fails the test.

    The engine is the real one on a thread, its model a fake: see `SteeredModel`. Options are those of its folder.
    """

    def play_scene(scene: Scene, **options: Any) -> None:
        settings = engine_folder(**options)
        bridge = Bridge(["engine", str(data_folder)], data_folder / "engine.log", first_backoff=0.01)
        window = MainWindow(bridge, settings, data_folder / "window.json")
        run(in_window(window, bridge, lambda: scene(window, bridge), lambda: _is_open(window)))

    return play_scene


@pytest.fixture
def play_with_process(
    run: Run, engine_folder: Callable[..., Settings], data_folder: Path, provider: ScriptedProvider
) -> Callable[..., None]:
    """Like `play`, with an engine that is a process of its own, as in life: for tests marked `wire`."""

    def play_scene(scene: Scene, **options: Any) -> None:
        with provider:
            settings = engine_folder(address=provider.base_url, **options)
            bridge = Bridge(engine_command(data_folder), data_folder / "engine.log", first_backoff=0.01)
            window = MainWindow(bridge, settings, data_folder / "window.json")
            run(in_window(window, bridge, lambda: scene(window, bridge), lambda: _is_open(window)))

    return play_scene


@pytest.fixture
def play_by_engine(run: Run, qapp: QApplication, data_folder: Path) -> Callable[..., ScriptedProvider]:
    """Plays a scene with a person at the window, the real engine and a scripted provider: for tests marked `wire`.

    steps: the provider's answers. window: tokens of its models, unless they have limits of their own; the first one
    answers. pages: what the server tells of itself. Others are settings; nothing is asked of a model but what a test
    is about (no titles, no memories) unless they say so. Returns the provider, with what it was asked.
    """

    def play_scene(
        scene: PersonScene,
        steps: Sequence[AnyStep] | Script,
        window: int = 32_000,
        limits: dict[str, ModelLimits] | None = None,
        pages: dict[str, Any] | None = None,
        **changes: Any,
    ) -> ScriptedProvider:
        models = ("scripted", *(limits or {}))
        with ScriptedProvider(steps, models=models, pages=pages) as provider:
            server = Server("scripted", provider.base_url, models, window, 1_000, limits=limits or {})
            chosen = {"chat_model": "scripted/scripted", "servers": (server,), **QUIET, **changes}
            settings = Settings(**chosen)
            write_settings(settings_file(data_folder), settings)
            bridge = Bridge(engine_command(data_folder), data_folder / "engine.log")
            made = MainWindow(bridge, settings, data_folder / "window.json")
            person = Person(made, bridge, provider, data_folder)
            run(in_window(made, bridge, lambda: scene(person), lambda: made.chat.conversation and made.ui.gauge.gauge))
        return provider

    return play_scene
