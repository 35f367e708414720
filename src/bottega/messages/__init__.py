"""What is said: blocks, messages, and the repair that makes any history acceptable."""
