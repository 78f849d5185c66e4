"""Questions that a turn waits for: may this tool do that, shall it go on."""
