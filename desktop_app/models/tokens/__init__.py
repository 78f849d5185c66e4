"""How each family of models counts its tokens."""
