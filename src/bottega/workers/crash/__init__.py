"""What a process that died left in the middle: how far it came, and whether it goes on, is asked about or is closed."""
