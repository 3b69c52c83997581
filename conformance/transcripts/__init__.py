"""Replays transcripts of ibc-go chains on our chains and compares them block by block."""
