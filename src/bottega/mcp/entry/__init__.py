"""What a server's entry leads to: which of its words is run, and which paths are where agents write."""
