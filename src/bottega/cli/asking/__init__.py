"""What waits for a person, put before them: what would happen, whole, and one key that decides."""
