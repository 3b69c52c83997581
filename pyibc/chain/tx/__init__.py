"""Transactions of the host chain: decoding, the ante handler, execution, simulation, proposals."""
