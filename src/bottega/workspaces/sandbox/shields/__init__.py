"""What of a workspace no program may change, whether it is there or not."""
