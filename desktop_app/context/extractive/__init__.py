"""The summary without a model: passages chosen by rank."""
