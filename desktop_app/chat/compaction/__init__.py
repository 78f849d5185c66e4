"""Making room: plans, summaries, and who writes them."""
