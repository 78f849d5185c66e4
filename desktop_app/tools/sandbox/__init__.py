"""The sandbox in which commands of models and servers of tools run: bubblewrap on Linux, where it works."""
