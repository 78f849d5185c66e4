"""The facts that code keeps word for word, and what is read of each message to find them."""
