"""A log told in the shape that somebody needs: what the model sees, what people read."""
