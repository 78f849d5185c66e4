"""Palimpsest: a desktop chat whose context window can be seen, kept from filling up, and undone."""

__version__ = "0.1.0"
