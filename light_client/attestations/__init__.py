"""The `attestations` light client: a fixed set of attestors signs a chain's state with Ethereum keys."""
