"""The composer, in which the next message is written."""
