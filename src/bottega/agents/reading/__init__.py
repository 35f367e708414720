"""What a model wrote as text, read: calls, signals, thoughts and files. Pure, in one pass, and never by guessing."""
