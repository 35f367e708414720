"""What of a workspace no program may change, as far as it is there."""
