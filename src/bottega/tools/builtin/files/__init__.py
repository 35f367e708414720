"""Tools on files: read, list, find, write."""
