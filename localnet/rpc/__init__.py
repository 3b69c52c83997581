"""CometBFT's JSON-RPC (0.38) over a local chain: the part that relayers, indexers and people ask."""
