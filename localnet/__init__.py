"""A reference host chain, its consensus, nodes, networks of them, the demo."""

import ibc_core  # noqa: F401 - its guard: whether all of our packages are ours, before any is used

__distribution__ = "pyibc-localnet"
