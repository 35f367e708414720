"""The socket: tabs of one client on any number of sessions. It admits and follows; what it sends is what is stored."""
