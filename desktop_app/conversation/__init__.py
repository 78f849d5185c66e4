"""The nouns: immutable values, each one a frozen struct with its JSON form. Imports nothing of ours."""
