"""Families of tokenizers that stand for the others where all of them would take long: each loads a vocabulary."""

EACH_ITS_WAY = ("o200k", "claude", "deepseek", "mistral-v1", "qwen")
"""tiktoken as it is, an estimate, a tokenizer.json, SentencePiece, a normal form: the others are made like these."""
