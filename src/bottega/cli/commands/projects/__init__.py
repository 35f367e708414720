"""The commands about projects."""
