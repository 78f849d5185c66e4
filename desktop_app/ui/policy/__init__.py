"""The page of policies: every number, and what it would do."""
