"""The LMDB database: files, environment, options, checksums."""
