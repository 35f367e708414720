"""The way out: where connections to the world are judged and made, and nowhere else."""
