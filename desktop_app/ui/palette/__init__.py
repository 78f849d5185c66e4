"""The command palette and the sheet of shortcuts, both made from the table of actions."""
