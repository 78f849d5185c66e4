"""Layer 3: decides when to make room, and which part of a conversation is archived for it."""
