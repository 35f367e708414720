"""What all wire protocols share: reading JSON that may be odd, and saying what a refusal means."""
