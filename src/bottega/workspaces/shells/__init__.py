"""Shells that stay open: a program in a terminal of its own, in a sandbox of its own."""
