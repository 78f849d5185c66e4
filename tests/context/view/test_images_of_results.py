"""Images in tool results: kept in the view, sent after all results of a reply, and gone once the result is pruned."""

from __future__ import annotations

from desktop_app.context.view.dialect import IMAGE_LINE, images_after_results, to_dialect
from desktop_app.context.view.items import Pruned
from desktop_app.conversation.listing import Dialect
from desktop_app.conversation.message import Attachment, Message, Role, Text, ToolCall, ToolResult, user_message
from desktop_app.conversation.openai_chat import chat_of
from desktop_app.conversation.tools import ToolSpec

IMAGE = Attachment("shot-1.png", "image/png", "data:image/png;base64,AAAA")
CALLS = Message(role=Role.ASSISTANT, parts=(ToolCall("a", "shot", "{}"), ToolCall("b", "look", "{}")))
SHOT = Message(role=Role.TOOL, parts=(ToolResult("a", "shot", "Took it."), IMAGE))
LOOKED = Message(role=Role.TOOL, parts=(ToolResult("b", "look", "Seen."),))
REPLY = Message(role=Role.ASSISTANT, parts=(Text("Done."),))
MESSAGES = (user_message("Go"), CALLS, SHOT, LOOKED, REPLY)
TOOLS = (ToolSpec("shot", ""), ToolSpec("look", ""))


def test_images_follow_all_results_of_the_reply() -> None:
    sent = list(images_after_results(MESSAGES))
    assert [message.role.value for message in sent] == ["user", "assistant", "tool", "tool", "user", "assistant"]
    assert sent[2].parts == SHOT.parts[:1]
    assert IMAGE in sent[4].parts
    assert "shot-1.png" in sent[4].text
    chat = chat_of(sent)
    assert [part["type"] for part in chat[4]["content"]] == ["text", "image_url"]
    assert list(images_after_results(MESSAGES[:3]))[-1].role is Role.USER


def test_a_model_that_cannot_see_reads_that_there_is_an_image() -> None:
    sent, _ = to_dialect(MESSAGES, TOOLS, Dialect(supports_vision=False))
    assert len(sent) == len(MESSAGES)
    assert IMAGE_LINE in sent[2].text
    assert sent[2].text.startswith("Took it.")


def test_a_pruned_result_has_no_image() -> None:
    assert Pruned("p", "[pruned]").apply_to(SHOT).parts == (ToolResult("a", "shot", "[pruned]"),)


def test_descriptions_are_cut_only_where_the_provider_wants_it() -> None:
    tool = ToolSpec("a", "x" * 3_000)
    assert to_dialect((), (tool,), Dialect())[1] == (tool,)
    [cut] = to_dialect((), (tool,), Dialect(max_description=1_024))[1]
    assert len(cut.description) == 1_024


def test_results_that_were_joined_to_another_one_stay_in_it() -> None:
    """A result without a call is joined to the result before it, as imported sessions have them."""
    results = (ToolResult("c1", "read", "one"), ToolResult("c2", "read", "another"))
    (only,) = images_after_results([Message(role=Role.TOOL, parts=results)])
    assert only.parts == (ToolResult("c1", "read", "one\n\nanother"),)
