"""Where commands run: bubblewrap, else Landlock, else nothing but a warning; one seam for all (`sandbox`)."""
