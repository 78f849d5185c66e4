"""The window: the only Qt. Paints what it is told, and wishes."""
