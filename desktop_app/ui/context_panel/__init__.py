"""The panel on the right: what fills the window, what was done about it, and what is pinned."""
