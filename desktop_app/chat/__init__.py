"""The operations of a conversation, over ports. Async; independent of providers, the database and the window."""
