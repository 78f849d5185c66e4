"""Language models: catalogue, tokenizers, litellm, and the built-in model, which is served like any local one."""
