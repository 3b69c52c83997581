"""Foreign vectors run against this implementation: one module a family, each with `run(folder)`."""
