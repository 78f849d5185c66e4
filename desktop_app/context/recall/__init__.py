"""Recall: from a query in plain words to chosen messages of a conversation. Pure."""
