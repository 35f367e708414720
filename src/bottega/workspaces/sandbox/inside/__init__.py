"""What runs inside every sandbox: a warden that starts programs, and a keeper for each of them.

It is packed and sent in, and runs by itself, on the standard library of any Python since 3.8.
"""
