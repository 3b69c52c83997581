"""A reference host chain, its consensus engine, nodes and networks of nodes, and the demo."""

import ibc_core  # noqa: F401 - its guard: whether all of our packages are ours, before any is used

__distribution__ = "pyibc"
