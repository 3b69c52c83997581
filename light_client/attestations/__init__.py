"""`attestations`: a fixed set of attestors, known by their Ethereum addresses, signs what a chain holds."""
