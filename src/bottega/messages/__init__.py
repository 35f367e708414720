"""What is said: blocks, messages, and the repair that makes any history one that a strict provider accepts."""
