"""The page of insights: what a conversation took over its life, or all of them."""
