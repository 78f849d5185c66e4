"""The settings, and the servers that models are reached through."""
