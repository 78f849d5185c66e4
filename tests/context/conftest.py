"""Puts this folder on the path, so that the tests in the folders below import the helpers that are here."""
