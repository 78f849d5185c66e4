"""Layer 2: old tool results and inputs become shorter in the view, free of charge. A file per strategy."""

from .digest import digest_input, digested_exchanges, with_digest
from .exchange import exchanges_of
from .plan import is_cache_warm, plan_prune
from .protect import freed_at_most

__all__ = [
    "digest_input",
    "digested_exchanges",
    "exchanges_of",
    "freed_at_most",
    "is_cache_warm",
    "plan_prune",
    "with_digest",
]
