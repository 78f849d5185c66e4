"""Classify providers' errors, and describe them to the user."""
