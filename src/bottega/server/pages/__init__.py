"""Pages: the studio's own files, and the plain ones beside it: signing in, what this is, every route in words."""
