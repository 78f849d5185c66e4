"""The same verbs without a window."""
