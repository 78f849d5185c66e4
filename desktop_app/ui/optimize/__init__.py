"""Optimize conversation: the plan, before anything is done."""
