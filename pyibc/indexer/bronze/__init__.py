"""Bronze: the data source `ibc`, which reads block files in place, in batches and as a stream."""
