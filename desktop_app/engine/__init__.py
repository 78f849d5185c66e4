"""The engine process: the protocol between window and engine, the composition root, and the server."""
