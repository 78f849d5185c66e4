"""The window: the only Qt. Widgets paint and emit signals; `controllers` turn these into requests to the engine."""
