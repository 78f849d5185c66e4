"""The conversation as it is read: a model that folds events, and a view that lays out only what it shows."""
