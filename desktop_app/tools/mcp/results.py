"""Reading of the results of servers' tools: each part by itself, so that an odd one does not spoil the rest."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import mimetypes
import re
from pathlib import Path
from typing import Any, cast

from desktop_app.conversation.message import Attachment
from desktop_app.conversation.tools import ToolOutcome
from desktop_app.conversation.transcript import replace_surrogates_in_text
from desktop_app.paths import make_folder, replace_private_file

from .schema import Json, clean_text

PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""Kinds of images that models see."""
MAX_PICTURES, MAX_PICTURE = 10, 8_000_000
"""Images of one result that a model gets, and bytes of one; further and larger ones are stored as files."""
MAX_UNKNOWN = 2_000
"""Characters of a part of an unknown kind."""
MAX_NAME = 80
_TEXTS = re.compile(r"text/.*|application/(?:.*\+)?(?:json|xml|yaml|toml|javascript|sql|csv)|image/svg\+xml")


def correct_result(result: Json) -> Json:
    """Return the result of a call in the form that the package accepts: it refuses all of it for one odd part."""
    content = result.get("content")
    blocks = cast("list[Any]", content) if isinstance(content, list) else [] if content is None else [content]
    kept = {key: value for key, value in result.items() if key not in ("content", "isError", "structuredContent")}
    structured = result.get("structuredContent")
    if isinstance(structured, dict):
        kept["structuredContent"] = structured
    elif structured is not None and not blocks:
        blocks = [{"type": "text", "text": json.dumps(structured, ensure_ascii=False, indent=1)}]
    return {**kept, "content": [_correct_block(block) for block in blocks], "isError": result.get("isError") is True}


def _correct_block(block: Any) -> Json:
    """Return a part with the fields that are read, or as text if it is of no known kind."""
    match block:
        case str(text) | {"type": "text", "text": str(text)}:
            return {"type": "text", "text": text}
        case {"type": "image" | "audio" as kind, "data": str(data)}:
            return {"type": kind, "data": data, "mimeType": str(block.get("mimeType") or "")}
        case {"type": "resource", "resource": {"text": str(text), **rest}}:
            return {"type": "resource", "resource": {"text": text, **_address(rest)}}
        case {"type": "resource", "resource": {"blob": str(blob), **rest}}:
            return {"type": "resource", "resource": {"blob": blob, **_address(rest)}}
        case {"type": "resource_link", "uri": str(uri), **rest}:
            about = {"description": rest["description"]} if isinstance(rest.get("description"), str) else {}
            return {"type": "resource_link", "uri": uri, "name": str(rest.get("name") or uri), **about}
        case _:
            written = json.dumps(block, ensure_ascii=False, default=str)
            return {"type": "text", "text": f"[A part of an unknown kind: {clean_text(written, MAX_UNKNOWN)}]"}


def _address(resource: Json) -> Json:
    kind = resource.get("mimeType")
    return {"uri": str(resource.get("uri") or "data:"), **({"mimeType": kind} if isinstance(kind, str) else {})}


def outcome_of(result: Json, tool: str, files: Path | None) -> ToolOutcome:
    """Return the outcome of a call: its texts and images; structured content if there is nothing else.

    Stores files. result: in the form that the package has accepted. files: the folder for other data, such as sounds
    and documents; None if they are not stored.
    """
    reader = _PartReader(tool, files)
    parts = [reader.text_of(block) for block in result.get("content") or ()]
    structured = result.get("structuredContent")
    if structured is not None and not any(part.strip() for part in parts):
        parts = [json.dumps(structured, ensure_ascii=False, indent=1)]
    text = "\n\n".join(part for part in parts if part) or "(The tool returned nothing.)"
    return ToolOutcome(
        replace_surrogates_in_text(text), is_error=result.get("isError") is True, attachments=tuple(reader.pictures)
    )


class _PartReader:
    """Reads the parts of one result, and collects its pictures."""

    def __init__(self, tool: str, files: Path | None) -> None:
        self._tool = tool
        self._files = files
        self._seen = 0
        self.pictures: list[Attachment] = []

    def text_of(self, block: Any) -> str:
        """Return a part as text; a picture as a line with its name, under which it is collected."""
        match block:
            case {"type": "text", "text": text}:
                return str(text)
            case {"type": "image" | "audio", "data": data}:
                return self._data(data, str(block.get("mimeType") or ""), "")
            case {"type": "resource", "resource": {"uri": uri, "text": text}}:
                return f"[{uri}]\n{text}"
            case {"type": "resource", "resource": {"uri": uri, "blob": data}}:
                return self._data(data, str(block["resource"].get("mimeType") or ""), str(uri))
            case _:
                words = (str(block[key]) for key in ("name", "uri", "description") if block.get(key))
                return f"[A link: {', '.join(words)}]"

    def _data(self, encoded: str, kind: str, uri: str) -> str:
        kind = kind.partition(";")[0].strip().lower()
        try:
            data = base64.b64decode(encoded.split(",", 1)[-1] if encoded.startswith("data:") else encoded)
        except (binascii.Error, ValueError):
            return f"[Data of the kind {kind or 'unknown'} that cannot be read: it is not base64.]"
        self._seen += 1
        if kind in PICTURES and len(data) <= MAX_PICTURE and len(self.pictures) < MAX_PICTURES:
            name = self._name(uri, kind)
            content = f"data:{kind};base64,{base64.b64encode(data).decode()}"
            self.pictures.append(Attachment(name, kind, content))
            return f"[Image: {name}, {_size(len(data))}]"
        if (text := _as_text(data, kind)) is not None:
            return f"[{uri or kind}]\n{text}"
        return self._stored(data, kind, self._name(uri, kind))

    def _stored(self, data: bytes, kind: str, name: str) -> str:
        about = f"{name}, {kind or 'of unknown kind'}, {_size(len(data))}"
        if self._files is None:
            return f"[A file: {about}; it was not stored.]"
        file = self._files / f"{hashlib.sha256(data).hexdigest()[:12]}-{name}"
        try:
            make_folder(self._files)
            replace_private_file(file, data)
        except OSError as error:
            return f"[A file: {about}; it could not be stored: {error.strerror}.]"
        return f"[A file: {about}; stored for the user as {file}]"

    def _name(self, uri: str, kind: str) -> str:
        """Return a name for data: the end of its address, or the tool's name and a number."""
        end = re.sub(r"[^\w.-]+", "-", uri.rpartition("/")[2], flags=re.ASCII).strip("-.")[-MAX_NAME:]
        suffix = mimetypes.guess_extension(kind) or ""
        own = re.sub(r"[^\w-]+", "-", self._tool, flags=re.ASCII)[:MAX_NAME]
        name = end or f"{own}-{self._seen}"
        return name if "." in name else name + suffix


def _as_text(data: bytes, kind: str) -> str | None:
    """Return data as text if its kind says that it is one, and it is; otherwise None."""
    if not _TEXTS.fullmatch(kind):
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _size(count: int) -> str:
    return f"{count:,} bytes" if count < 10_000 else f"{count / 1000:,.0f} kB"
