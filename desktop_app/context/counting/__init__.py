"""How many tokens it takes: counts, the gauge's figures, and what providers report."""
