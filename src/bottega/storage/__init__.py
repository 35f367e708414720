"""Where bytes are kept: one SQLite database with one writer, and blobs beside it."""
