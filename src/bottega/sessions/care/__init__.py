"""Looking after what is stored: find it, check it, let the old go."""
