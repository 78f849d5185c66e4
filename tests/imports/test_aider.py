"""aider's chat history, in the shape that version 0.86.2 writes."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from damage import check_tree, messages_in, only_conversation, read_file

from desktop_app.conversation.foreign import ForeignConversation
from desktop_app.conversation.message import Reasoning, Role, Text

FIRST = """
# aider chat started at 2026-03-01 10:00:00

> /usr/bin/aider --model openai/newt-1  
> Aider v0.86.2  
> Model: openai/newt-1 with whole edit format  
> Added pond.txt to the chat.  

#### /add pond.txt  
> Already in the chat.  

#### What lives  
#### in the pond?  

<thinking-content-7bbeb8e1>

Look.

</thinking-content-7bbeb8e1>

Newts do.

#### A heading of theirs

> Tokens: 744 sent, 92 received.  

#### And there?  

Toads.

> Tokens: 1.2k sent, 20 received.  
"""
SECOND = """
# aider chat started at 2026-03-02 10:00:00

> Aider v0.86.2  

#### Hello  

# Hello

> Tokens: 700 sent, 9 received.  

# aider chat started at 2026-03-03 10:00:00

#### /run make  
> Added 1 line of output to the chat.  
"""
INPUTS = """
# 2026-03-01 10:05:00.500000
+/add pond.txt

# 2026-03-01 10:06:00.500000
+What lives
+in the pond?

# 2026-03-01 10:07:00.500000
+And there?
"""


def write(tmp_path: Path, text: str) -> Path:
    file = tmp_path / ".aider.chat.history.md"
    file.write_text(text)
    return file


def test_a_session_is_read_whole(tmp_path: Path) -> None:
    write(tmp_path, FIRST)
    (tmp_path / ".aider.input.history").write_text(INPUTS)
    found = only_conversation(read_file(tmp_path))
    asked, answered, again, last = messages_in(found)
    assert (asked.role, asked.text) == (Role.USER, "What lives\nin the pond?")
    assert answered.parts == (Reasoning("Look."), Text("Newts do.\n\n#### A heading of theirs"))
    assert (answered.model, found.model) == ("openai/newt-1", "openai/newt-1")
    assert (again.text, last.text) == ("And there?", "Toads.")
    assert asked.at == datetime(2026, 3, 1, 10, 6, 0, 500_000).timestamp()
    assert found.created_at == datetime(2026, 3, 1, 10).timestamp()
    assert found.title == "What lives"
    for own in ("/add pond.txt", "Tokens: 744 sent, 92 received.", "Already in the chat."):
        assert own in found.rest


def test_each_session_in_which_the_model_replied_is_a_conversation(tmp_path: Path) -> None:
    found = read_file(write(tmp_path, FIRST + SECOND))
    texts = [[message.text for message in messages_in(each)] for each in found if isinstance(each, ForeignConversation)]
    assert [len(each) for each in texts] == [4, 2]
    assert texts[1] == ["Hello", "# Hello"]


def test_a_longer_history_has_the_same_beginning(tmp_path: Path) -> None:
    whole = only_conversation(read_file(write(tmp_path, FIRST)))
    begun = only_conversation(read_file(write(tmp_path, FIRST[: FIRST.index("#### And there?")])))
    assert begun.id == whole.id
    assert begun.entries == whole.entries[:2]


def test_a_history_that_is_cut_anywhere_is_read(tmp_path: Path) -> None:
    for end in range(30, len(FIRST), 7):
        for each in read_file(write(tmp_path, FIRST[:end])):
            if isinstance(each, ForeignConversation):
                check_tree(each)
