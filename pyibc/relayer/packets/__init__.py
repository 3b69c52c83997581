"""Packets: what is pending, which messages it needs, with which proofs."""
