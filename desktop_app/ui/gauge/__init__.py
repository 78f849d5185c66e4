"""How full the context window is."""
