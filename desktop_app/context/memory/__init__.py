"""What is remembered of the user: asked for, found by rule, merged, and sent. Pure."""
