"""What attackers do, and what comes of it."""
