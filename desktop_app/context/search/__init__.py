"""Parse search queries: filters, times, questions. Pure."""
