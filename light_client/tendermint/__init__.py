"""The tendermint light client (ICS-7, `07-tendermint`): chains that run CometBFT 0.34 and later."""
