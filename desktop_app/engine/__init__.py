"""The engine process: its server, the protocol with the window, and the composition root."""
