"""How much of something one person may have."""
