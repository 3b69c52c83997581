"""Keepers of channels and of the packets that go over them."""
