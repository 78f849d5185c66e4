"""Small widgets that several parts of the window share. Each paints itself from the current palette."""
