"""The pipeline on Spark: session, data source `ibc`, Delta Lake, and calls on executors."""
