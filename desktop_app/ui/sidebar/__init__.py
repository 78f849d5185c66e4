"""The conversations, and the ways to everything else."""
