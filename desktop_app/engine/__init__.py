"""The engine process: the protocol that crosses the border, the composition of all parts, and the server."""
