"""Servers that speak the Model Context Protocol: their processes and connections, and their tools beside ours."""
