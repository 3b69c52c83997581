"""Replay of recorded ibc-go chains on our chains, compared block by block."""
