"""Packet forwarding: what a memo asks for, and what a chain keeps of a packet on its way on."""
