"""Commands that do without a window what the window does."""
