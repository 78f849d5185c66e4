"""The tools of a conversation, and the viewer of outputs that are too long for it."""
