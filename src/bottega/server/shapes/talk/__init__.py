"""What is said to sessions, asked in them and told of them."""
