"""Questions that a model researches on the web."""
