"""What holds programs in: the walls of a sandbox, of whichever kind, and what is seen within them."""
