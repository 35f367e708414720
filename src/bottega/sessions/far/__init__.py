"""What a session keeps of another Bottega that answers in it."""
