"""What Bottega is set up with, as it goes over the wire."""
