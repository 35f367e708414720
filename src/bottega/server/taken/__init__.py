"""What is stored, on its way to the person whose it is: pieces of blobs and outputs, and everything at once."""
