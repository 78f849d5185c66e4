"""Layer 3: when room is made, and which part of a conversation is archived for it."""
