"""A Qt application under qasync's loop, and a bridge to a scripted engine: real processes, no screen."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import qasync
from engine_in_process import EngineInProcess
from person import Person
from person import Scene as PersonScene
from PySide6.QtCore import QCoreApplication, QEvent, QLocale, QTranslator, Signal
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget
from ui_scenes import Run, Scene, in_window, show_widget

from desktop_app.paths import settings_file
from desktop_app.settings import ModelLimits, Server, Settings, write_settings
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.context_panel.context_panel import ContextPanel
from desktop_app.ui.context_panel.requests import PanelRequests
from desktop_app.ui.engine_process import engine_command as real_engine_command
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.style import show_theme
from desktop_app.ui.theme import theme
from desktop_app.ui.transcript.transcript_model import TranscriptModel
from desktop_app.ui.transcript.transcript_widget import TranscriptWidget
from desktop_app.ui.translation import chosen_translator, use_translator
from forked_engines import forked_command
from provider import AnyStep, Script, ScriptedProvider

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

ALL_TOOLS = (
    "bash", "edit", "glob", "grep", "list", "read", "recall", "save_memory", "web_fetch", "web_search", "write",
)  # fmt: skip
SCRIPTED_ENGINE = Path(__file__).with_name("scripted_engine.py")


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
def engine_command(tmp_path: Path) -> Callable[..., list[str]]:
    """The command line of a scripted engine on a folder of its own; options as named arguments."""

    def command(**options: object) -> list[str]:
        named = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        return [sys.executable, str(SCRIPTED_ENGINE), "--data-dir", str(tmp_path), *named]

    return command


@pytest.fixture
def bridge(qapp: QApplication, engine_command: Callable[..., list[str]], tmp_path: Path) -> Bridge:
    """A bridge to an engine with two conversations, not started yet. Bugs in tasks fail tests: `stray_exceptions`."""
    return Bridge(engine_command(messages=200), tmp_path / "engine.log")


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


@pytest.fixture
def play_with_process(run: Run, engine_command: Callable[..., list[str]], tmp_path: Path) -> Callable[..., None]:
    """Opens the window, waits for the engine, plays a scene, closes in order. A bug in the window fails the test.

    The engine is a process of its own, as in life: for tests marked `wire`.
    """

    def play_scene(scene: Scene, **options: object) -> None:
        bridge = Bridge(engine_command(**{"messages": 200, **options}), tmp_path / "engine.log", first_backoff=0.01)
        window = MainWindow(bridge, Settings(), tmp_path / "window.json")
        run(
            in_window(
                window,
                bridge,
                lambda: scene(window, bridge),
                lambda: window.ui.transcript_model.rowCount() or window.chat._shown,
            )
        )

    return play_scene


@pytest.fixture
def play(play_with_process: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """The same with an engine in this process, which starts at once."""
    monkeypatch.setattr("desktop_app.ui.bridge.EngineProcess", EngineInProcess)
    return play_with_process


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
            quiet: dict[str, Any] = {"summaries": "extractive", "is_memory_on": False, "tools_off": ALL_TOOLS}
            chosen = {"chat_model": "scripted/scripted", "servers": (server,), **quiet, **changes}
            settings = Settings(**chosen)
            write_settings(settings_file(data_folder), settings)
            bridge = Bridge(real_engine_command(data_folder), data_folder / "engine.log")
            made = MainWindow(bridge, settings, data_folder / "window.json")
            person = Person(made, bridge, provider, data_folder)
            run(in_window(made, bridge, lambda: scene(person), lambda: made.chat.conversation and made.ui.gauge.gauge))
        return provider

    return play_scene
