"""What a session changed in its folder, as its log tells it, and how that is undone."""
