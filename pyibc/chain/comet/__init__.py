"""A host chain under CometBFT: the ABCI application, its settings, and state sync snapshots."""
