"""The `07-tendermint` light client (ICS-7), for chains with CometBFT 0.34 and later."""
