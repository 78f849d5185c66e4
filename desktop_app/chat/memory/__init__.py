"""Long-term memory and recall."""
