"""The command line: one file a command in `commands`, what is drawn in `screen`, the conversation in `talk`."""
