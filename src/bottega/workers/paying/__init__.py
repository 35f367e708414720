"""What model calls cost: each is judged by the limits before it goes out, and counted however it ends."""
