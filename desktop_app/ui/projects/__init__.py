"""Projects: their sheet, and the page of one in which nothing is open yet."""
