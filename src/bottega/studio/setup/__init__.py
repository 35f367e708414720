"""What Bottega is set up with: settings, keys, models, agents. The command line and the server share it."""
