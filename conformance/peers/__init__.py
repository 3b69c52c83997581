"""Programs nobody here wrote, run on loopback for tests: ibc-go chains, Hermes, CometBFT's light client."""
