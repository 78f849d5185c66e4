"""The transcript of a conversation: a model that is updated by events, and a view that paints visible rows only."""
