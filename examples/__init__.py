"""Code to copy: a tiny host, a key-value chain under CometBFT, an application."""
