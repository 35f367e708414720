"""What is said over HTTP, as the OpenAPI document shows it. No route answers with anything else."""
