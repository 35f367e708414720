"""The commands that have an agent work: talk, run, answer what it asks, go on."""
