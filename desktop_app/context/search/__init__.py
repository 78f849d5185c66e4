"""What a person means who types into the search: filters, times, questions. Pure."""
