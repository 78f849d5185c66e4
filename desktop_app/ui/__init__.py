"""The window, the only part that uses Qt. Widgets paint and emit signals; controllers turn these into requests."""
