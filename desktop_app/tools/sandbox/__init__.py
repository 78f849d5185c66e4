"""The sandbox for models' commands and tool servers: bubblewrap, on Linux systems where it works."""
