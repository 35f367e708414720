"""What happened: the stored facts, the layers folded from them, and their bytes. All pure."""
