"""Programs that use a server at some address: in Python, and in TypeScript."""
