"""Who may use this home, and how they come in."""
