"""The command palette and the sheet of shortcuts, both made from the actions in `ui/window_actions.py`."""
