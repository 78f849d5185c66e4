"""Decisions about the context: pure functions over the record. No clock, database, network, Qt or thread."""
