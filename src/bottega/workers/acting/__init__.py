"""What a run does to the world: calls past the gate, asks, sandboxes, and what is known of files."""
