"""Tools on programs: run a command, keep a shell open, read what was printed."""
