"""Where it acts: a folder, and the one check that keeps every path inside it."""
