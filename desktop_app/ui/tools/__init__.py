"""The tools of a conversation, and the outputs that were too long for it."""
