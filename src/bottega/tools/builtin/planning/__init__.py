"""Tools for planning: the to-do list, and questions to the person."""
