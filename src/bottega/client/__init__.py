"""For programs that use a Bottega at some address: the same words as the studio's own library."""
