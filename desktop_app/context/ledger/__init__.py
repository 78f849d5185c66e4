"""The facts that code keeps verbatim, and the parsers that find them in messages."""
