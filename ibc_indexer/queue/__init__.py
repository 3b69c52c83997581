"""The queue protocol as the indexer reads it."""
