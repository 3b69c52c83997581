"""Balances of the host chain, and MsgSend."""
