"""What stands before the application: who may come in, from where, how often and with how much."""
