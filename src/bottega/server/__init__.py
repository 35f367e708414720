"""How others reach the engine: HTTP, a socket and a plain page. It admits and follows; workers run."""
