"""The files of a project, as a person reads and changes them beside the agents."""
