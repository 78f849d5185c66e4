"""Layer 2: shortens old tool results and inputs in the view, without a model."""
