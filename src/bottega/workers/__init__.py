"""Those who run: a worker holds a session's lease, runs its prompts in order, and mends what a crash left."""
