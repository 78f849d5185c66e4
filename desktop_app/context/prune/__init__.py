"""Layer 2: old tool results become shorter in the view, free of charge. A file per strategy."""

from .plan import plan_prune

__all__ = ["plan_prune"]
