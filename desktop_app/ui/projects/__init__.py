"""Projects: the sheet to edit one, and the page of an empty conversation in one."""
