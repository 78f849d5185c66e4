"""Import and export of conversations: the sheets and their controllers."""
