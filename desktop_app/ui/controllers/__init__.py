"""Turn what the user does into requests to the engine, and what comes back into what the widgets show."""
