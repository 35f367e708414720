"""What stands in a repository besides its settings and hooks, and is harmless or not."""
