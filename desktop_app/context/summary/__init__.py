"""Summaries by a model: the prompt, the reply, and lost facts that code restores."""
