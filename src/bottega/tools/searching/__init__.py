"""How files and text are found: the search program, patterns for paths, and the lines that it found."""
