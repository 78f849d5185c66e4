"""The decision whether a tool call may run: rules, command lines and paths. Pure."""
