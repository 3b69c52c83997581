"""The pipeline in this process: DuckDB, delta-rs, and processes that decode blocks."""
