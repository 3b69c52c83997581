"""What is meant to be copied: a tiny host, a key-value chain under CometBFT, an application."""
