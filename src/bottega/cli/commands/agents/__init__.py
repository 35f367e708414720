"""Commands for agents: who can work, and agents of one's own."""
