"""Tools that models can call (files, commands, search, the web), and the store of long outputs."""
