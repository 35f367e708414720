"""What follows where something was planted: a copy is kept, it is told, and who goes on is ended."""
