"""Search over everything that was ever said."""
