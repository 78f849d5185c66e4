"""The words that ship with the application, as the pure core takes them."""

from __future__ import annotations

from desktop_app.context.summary.prompt import Prompts
from desktop_app.paths import RESOURCES

PROMPTS = Prompts(*((RESOURCES / "prompts" / f"{name}.md").read_text("utf-8") for name in Prompts.__struct_fields__))
BARE = Prompts(
    summary="Summarise in {tokens}.", merge="Merge.", turn="Turn.", form="JSON, {mark}.", repair="Mend.", again="Again."
)


def words(text: str) -> int:
    """A tokenizer for tests: a token a word."""
    return len(text.split())
