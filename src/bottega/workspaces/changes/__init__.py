"""Changes of files: made all or none, told after a crash, shown as differences, and undone."""
