"""Summaries that a model writes: what it is asked, how its reply is read, what code puts back."""
