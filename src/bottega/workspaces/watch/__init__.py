"""What a command changed: the files of a workspace before and after it, compared."""
