"""What is brought back of a conversation: from a query in plain words to chosen messages. Pure."""
