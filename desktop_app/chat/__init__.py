"""The verbs: what happens in a conversation, over ports. Async; knows no provider, no database, no window."""
