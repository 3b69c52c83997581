"""Responses of CometBFT nodes: transactions and events of a block."""
