"""Summaries written by a model: the prompt, the reply, and the facts that code puts back."""
