"""What is stored, in the settings: where it is, backups, the whole as a file, and what takes space."""
