"""Tool calls on a screen: what each does in human terms, how it goes, what it prints, how it ended."""
