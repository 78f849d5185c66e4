"""Memories of the user: requested from a model, found by rule, merged, and sent. Pure."""
