"""What a project is: its files and languages, its scripts, the words it has for agents, and the state of its git."""
