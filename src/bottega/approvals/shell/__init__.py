"""What a shell would run: a command's text goes in, its simple commands come out, and whether they are all of it."""
