"""Language models: catalogue, tokenizers, litellm, and the built-in model as one more local server."""
