"""One turn, from the user's message to the last stored reply."""
