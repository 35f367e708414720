"""What it costs, and with whose key."""
