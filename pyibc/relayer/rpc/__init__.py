"""CometBFT JSON-RPC: client of one node, and a pool of nodes that cross-checks their answers."""
