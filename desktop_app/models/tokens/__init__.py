"""Tokenizers, estimates and chat templates of each family of models."""
