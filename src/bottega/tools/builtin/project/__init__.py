"""Tools on a project as a whole."""
