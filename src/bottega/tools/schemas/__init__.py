"""JSON schemas that strangers write: how large they may be, and what a validation with them may cost."""
