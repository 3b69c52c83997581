"""The pipeline in this process: DuckDB queries the tables, and delta-rs writes them."""
