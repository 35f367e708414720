"""What programs print: drained as it comes, kept in files with a cap, shown as plain text, read again in parts."""
