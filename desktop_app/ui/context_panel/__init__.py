"""The context panel on the right: the breakdown of the window, the history of operations, pins and memories."""
