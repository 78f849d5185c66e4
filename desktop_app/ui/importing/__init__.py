"""What an import found, and the choice of it."""
