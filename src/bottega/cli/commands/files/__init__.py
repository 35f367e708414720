"""The commands about files that a session changed."""
