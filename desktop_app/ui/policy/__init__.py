"""The page of policies: every number, and its effect."""
