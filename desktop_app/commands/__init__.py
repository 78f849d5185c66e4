"""Commands that offer the window's functions on the terminal."""
