"""CometBFT's JSON-RPC (0.38) for a local chain: the methods that relayers and indexers use."""
