"""What a provider's error is, and what is said to people about it."""
