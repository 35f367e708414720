"""What was said: the append-only log of each session, who may write it, and the views that are folded from it."""
