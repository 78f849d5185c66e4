"""Make room in a conversation: optimization plans, summaries, and the models that write them."""
