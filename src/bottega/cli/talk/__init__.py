"""The conversation in a terminal: what is typed, what the slash commands mean, and the turns between the two."""
