"""Layer 2: old tool results and inputs become shorter in the view, free of charge."""
