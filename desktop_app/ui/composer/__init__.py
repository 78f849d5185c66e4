"""Where the next message is written."""
